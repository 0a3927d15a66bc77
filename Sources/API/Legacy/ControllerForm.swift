internal import JSON

/// The schema of a controller's form and its name, for the API description.
extension Controller {
  var schema: String { "\(name).form" }

  var form: JSONTree {
    let common = isForServers ? Self.ofServers : Self.ofDevices
    return JSONSchema.object(
      (common + fields).map { field in
        let name = field.filter { $0 != "!" }
        let about = Self.meanings[name]
        return field.hasSuffix("!")
          ? .required(name, JSONSchema.givenText, about) : .optional(name, JSONSchema.givenText, about)
      })
  }

  private static let ofDevices = ["APP_ID!", "PSID!", "AUTHKEY", "CUID", "PNSID", "DEVICE_ID", "PHONENUM"]
  private static let ofServers = ["APP_ID!", "APIKEY"]
  private static let meanings: [String: String] = [
    "APP_ID": "Bundle identifier or package name.", "PSID": "The push token.",
    "AUTHKEY": "Of `asking_authorization`, or of the last registration.",
    "CUID": "The user; `GUEST`: nobody; with `TMP0` in front: not registered yet. Of a send: one, or a JSON array.",
    "PNSID": "`APNS`, `FCM` or `GCM`. `UPNS`, `UPNC` (sockets of old) and `WPNS` (web push) are refused in words.",
    "DEVICE_ID": "What names the installation.",
    "PHONENUM":
      "The user's telephone number, up to 64 bytes: kept sealed, and told in `sms.requested`. The first one stays, "
      + "unless somebody vouches for the user.", "CNAME": "The user's name.",
    "DEVICE_TYPE": "`I` or `A`.", "APNS_MODE": "`DEV`: the sandbox; `REAL`.",
    "NOTIFICATION_YN": "A consent: `Y` or `N`.",
    "USERPROOF": "The app's own server vouches for the user.", "SEQNO": "The message's number.",
    "STATUS_KIND": "`2` received, `3` read.", "pushkey": "From the payload: proves the receipt without a key.",
    "BADGENO": "A count, or what a message adds to it.", "GROUPSEQ": "The group's number.",
    "APIKEY": "An API key, where the server's address is not trusted.",
    "TYPE": "`E` people, `S` the same with totals alone, `M` members, `N` guests, `A` all, `G` a group.",
    "REQ_PSIDS": "A JSON array: these tokens alone.",
    "MESSAGE":
      "Text, or `{\"title\",\"body\"}`; up to 65,536 bytes as it arrives. What has no room in the payload stands on a "
      + "page.", "PRIORITY": "`3` real time, `1` batch.", "RESERVEDATE": "`yyyyMMdd HHmmss` by the app's clock.",
    "TEMPLATE_YN": "Whether `%CUID%`, `%CNAME%` and `%VARn%` are filled in.",
    "SEND_TIME_LIMIT": "Minutes after which it is not sent any more.",
    "PUSH_FAIL_SMS_SEND": "`Y`: a short message unless it is confirmed.",
    "SMS_READ_WAIT_MINUTE": "After so many minutes without a read; 0: without a receipt.",
    "RETRY_TYPE": "`1`, `2` or `3`.",
  ]
}
