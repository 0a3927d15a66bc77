internal import HTTPServer

/// One controller of the existing SDK's protocol, as the document tells it.
struct ControllerCall: Sendable {
  let name: String
  let summary: String
  let about: String
  /// Fields of its own, beside those that nearly every call has; those with `!` are needed.
  let fields: [String]
  /// What the BODY of a good answer holds.
  let body: String
  let isForServers: Bool

  private init(
    _ name: String, _ summary: String, _ about: String, _ fields: String = "", body: String = "[{}]",
    isForServers: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.about = about
    self.fields = fields.split(separator: " ").map(String.init)
    self.body = body
    self.isForServers = isForServers
  }

  static let about = """
    Forms (urlencoded or multipart) posted to `/<context>/<controller>.ctl`; any context, unless UPMC_CTL_CONTEXT names \
    some. The answer has HTTP 200, whatever the code is: `0000` done; `40100` no AUTHKEY, or one that is old or another \
    device's (ask for a key and repeat the call); `40300` the device is another user's; `400` no such device or token; `4400` \
    nobody whom a send is for is registered; `4444` no such app; `5500`, `5600` a reserved send that comes too late, or fails; \
    `42900` too much; `50300` this server may not send; `500` anything else, in words. 503 asks to come again.
    """

  var schema: String { "\(name).form" }

  var form: Node {
    let common = isForServers ? Self.ofServers : Self.ofDevices
    return Schema.object(
      (common + fields).map { field in
        let name = field.filter { $0 != "!" }
        let about = Self.meanings[name]
        return field.hasSuffix("!")
          ? .needed(name, Schema.givenText, about) : .optional(name, Schema.givenText, about)
      })
  }

  private static let ofDevices = ["APP_ID!", "PSID!", "AUTHKEY", "CUID", "PNSID", "DEVICE_ID", "PHONENUM"]
  private static let ofServers = ["APP_ID!", "APIKEY"]
  private static let device = "CNAME DEVICE_TYPE DEVICE_MD OS_VER APP_VER APNS_MODE NOTIFICATION_YN AD_YN NIGHT_AD_YN"
  private static let confirmation = "SEQNO! STATUS_KIND SENDDATE SENDERCODE DB_IN pushkey"
  private static let message = """
    MESSAGE! SUB_TITLE SOUNDFILE PRIORITY BADGENO RESERVEDATE EXT SERVICECODE SENDERCODE DB_IN TEMPLATE_YN SPLIT_MSG_CNT \
    DELAY_SECOND SEND_TIME_LIMIT PUSH_FAIL_SMS_SEND SMS_READ_WAIT_MINUTE CUST_KEY CUST_VAR1 CUST_VAR2 CUST_VAR3
    """
  private static let sent = #"{"SENDMSG_SEQNO":"104","REG_SUCCESS_CNT":1,"REG_FAIL_CNT":0,"NOTEXISTCUIDS":[]}"#
  private static let key = #"[{"AUTHKEY":"3.…","APPID":"com.example.bank"}]"#

  static let all: [ControllerCall] = [
    ControllerCall(
      "asking_authorization", "Ask for a key",
      "For half an hour, for the app and the PSID and, once registered, the device.",
      body: #"[{"AUTHKEY":"3.…"}]"#),
    ControllerCall(
      "rcv_register_service", "Register the service",
      "Whose the device is stays. With a new PSID and the AUTHKEY of the last registration the device keeps its user; "
        + "without that key it is a guest until it names its user again (`rcv_get_service` answers `C`).", device,
      body: key),
    ControllerCall(
      "rcv_register_user", "Name the user", "CUID `GUEST`: nobody.", "CNAME USERPROOF", body: key),
    ControllerCall(
      "new_rcv_register_service_and_user", "Register the service and name the user", "Both in one call.",
      device + " USERPROOF CBSID", body: key),
    ControllerCall(
      "rcv_register_service_and_user", "Register the service and name the user, by its older name", "The same.",
      device + " USERPROOF CBSID", body: key),
    ControllerCall(
      "rcv_get_service", "Ask how the device is registered",
      "`Y`; `C`: for another user than CUID, so that the SDK names its user again; `N`: not at all.", device,
      body: #"[{"ISREGISTERED":"Y"}]"#),
    ControllerCall("rcv_delete_service", "Unregister the service", "Repeated calls succeed."),
    ControllerCall("rcv_delete_user", "Unregister the user", "The device becomes a guest's. Repeated calls succeed."),
    ControllerCall("rcv_register_usergroup_user", "Join a group", "Repeated calls succeed.", "GROUPSEQ!"),
    ControllerCall("rcv_delete_usergroup_user", "Leave a group", "Repeated calls succeed.", "GROUPSEQ!"),
    ControllerCall(
      "rcv_register_sent_ack", "Confirm that a message was received",
      "By its pushkey, or the device's AUTHKEY. The app's extension and the app may both do so.", confirmation),
    ControllerCall(
      "rcv_register_send_result", "Confirm that a message was read",
      "BADGENO -1, or none: takes one off the count; 0: resets it; 1 to 1000: sets it.", confirmation + " BADGENO",
      body: #"[{"BADGENO":"2"}]"#),
    ControllerCall(
      "rcv_init_badgeNo", "Set the badge count", "0 to 1000; 0 resets it.", "BADGENO!", body: #"[{"BADGENO":"7"}]"#),
    ControllerCall("rcv_appAlive", "Say that the app is there", "Notes when the device was last seen."),
    ControllerCall("rcv_comm_configuration", "Ask for the configuration", "There is nothing to configure."),
    ControllerCall("reAllocateUpns", "Ask for a broker", "There is none: pushes come through APNs and FCM."),
    ControllerCall("putAppLog", "Send the app's log", "It is not kept, nor read."),
    ControllerCall(
      "rcv_add_service", "Add a service", "Refused in words (`500`): register with `rcv_register_service`.", body: "[]"),
    ControllerCall(
      "getEncriptKey", "Ask for an encryption key", "Refused in words (`500`): TLS encrypts the whole call.", body: "[]"
    ),
    ControllerCall(
      "wpns_rcv_register_service_and_user", "Register for web push",
      "Refused in words (`500`): web push (PNSID `WPNS`) is not served here.", body: "[]"),
    ControllerCall(
      "rcv_register_message", "Send to people",
      "From a server: by its address (UPMC_CTL_TRUSTED_SENDERS) or an API key. From a device, where the app lets it, with "
        + "SENDERCODE `device-ios` or `device-android` and its AUTHKEY.", "TYPE CUID GROUPSEQ REQ_PSIDS " + message,
      body: sent, isForServers: true),
    ControllerCall(
      "rcv_register_groupmessage", "Send to a group", "TYPE `G`; or `A`, with an empty GROUPSEQ: everyone.",
      "TYPE GROUPSEQ " + message, body: sent, isForServers: true),
    ControllerCall(
      "rcv_register_csvmessage", "Send to the users of a file",
      "Multipart, with a file part `upload_file` of lines `CUID,NAME[,VAR1…VAR9]`.", message, body: sent,
      isForServers: true),
    ControllerCall(
      "rcv_message_cancel_reservation", "Cancel a reserved message", "As long as it was not sent.", "RESERVE_SEQNO!",
      body: "{}", isForServers: true),
    ControllerCall(
      "rcv_retry_message", "Send once more",
      "To those whom it failed to reach (1), who have not received (2) or read it (3).",
      "SEQNO! RETRY_TYPE! SPLIT_MSG_CNT DELAY_SECOND", body: sent, isForServers: true),
    ControllerCall(
      "rcv_getSentMsgInfo", "Ask how a message stands", "Its numbers.", "SEQNO!", body: "{}", isForServers: true),
    ControllerCall(
      "rcv_register_usergroup", "Make a group", "At the top, or below another.", "GROUPNAME! PARENTSEQ", body: "{}",
      isForServers: true),
    ControllerCall(
      "rcv_get_usergroup", "List groups", "A thousand at a time, after LAST_GROUPSEQ.", "LAST_GROUPSEQ", body: "{}",
      isForServers: true),
    ControllerCall(
      "rcv_delete_usergroup", "Delete a group", "With its memberships.", "GROUPSEQ!", body: "{}", isForServers: true),
    ControllerCall(
      "rcv_get_usergroup_user", "List a group's users", "A thousand at a time.", "GROUPSEQ!", body: "{}",
      isForServers: true),
  ]

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

/// The existing SDK's protocol.
extension APIOperation {
  static let controllers: [APIOperation] = ControllerCall.all.map { call in
    APIOperation(
      .post, "/upmc/\(call.name).ctl", id: call.name, in: .sdk, call.summary, call.about, by: .nothing,
      body: Body(schema: call.schema, examples: [], type: "application/x-www-form-urlencoded"),
      answers: [
        Answer(
          200, "The envelope, whatever the code.", call.isForServers ? "SendControllerAnswer" : "ControllerAnswer",
          example:
            #"{"HEADER":{"RESULT_CODE":"0000","RESULT_BODY":"OK","SERVICE":"\#(call.name).ctl"},"BODY":\#(call.body)}"#)
      ])
  }
}
