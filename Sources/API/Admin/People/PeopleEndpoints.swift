internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Users and devices.
extension AdminCall {
  /// `GET /v1/admin/users?appId=&prefix=&limit=&cursor=`: by CUID.
  func users() throws(Problem) -> Response {
    .json(
      .ok,
      try UserDirectory.users(
        of: try required("appId"), prefix: query["prefix"] ?? "", try page(), by: caller, on: connection))
  }

  /// `GET /v1/admin/users/{clientUid}?appId=`: with devices and groups.
  func user() throws(Problem) -> Response {
    .json(.ok, try UserDirectory.user(parameters["clientUid"], of: try required("appId"), by: caller, on: connection))
  }

  /// `GET /v1/admin/users/{clientUid}/messages?appId=&limit=&cursor=`: what was sent to a user, newest first.
  func userMessages() throws(Problem) -> Response {
    .json(
      .ok,
      try PersonHistory.list(
        parameters["clientUid"], of: try required("appId"), try page(), by: caller, on: connection,
        now: now))
  }

  /// `GET /v1/admin/users/{clientUid}/export?appId=`: everything that is known of a user.
  func exportUser() throws(Problem) -> Response {
    .json(
      .ok,
      try PersonRights.export(
        parameters["clientUid"], of: try required("appId"), phones: resources.master.map(PhoneSeal.init), by: caller,
        on: connection))
  }

  /// `DELETE /v1/admin/users/{clientUid}?appId=`: forgets a user.
  func eraseUser() throws(Problem) -> Response {
    .json(.ok, try PersonRights.erase(parameters["clientUid"], of: try required("appId"), by: caller, on: connection))
  }

  /// `PUT /v1/admin/users/{clientUid}/badge`: `{"appId","badge"}`, 0 to 1000.
  func setUserBadge() throws(Problem) -> Response {
    var appID: String?
    var badge: Int64?
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "badge": badge = try reader.readInteger()
      default: throw .unknownField
      }
    }
    // A number beyond what fits is as much out of range as the nearest that does.
    let value = Int16(clamping: try Problem.need(badge, "badge"))
    return .json(
      .ok,
      try UserDirectory.setBadge(
        value, of: parameters["clientUid"], try Problem.need(appID, "appId"), by: caller, on: connection))
  }

  /// `POST /v1/admin/users/{clientUid}/vouchers`: `{"appId","expiresIn"?,"deviceId"?}`.
  func vouch() throws(Problem) -> Response {
    var (appID, deviceID): (String?, String?)
    var seconds: Int64? = Operations.Limits.voucherSeconds.upperBound
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "expiresIn": seconds = ISODuration.seconds(try reader.readString())
      case "deviceId": deviceID = try reader.readText(upTo: Domain.Limits.deviceIDBytes)
      default: throw .unknownField
      }
    }
    return .json(
      .created,
      try Administration.vouch(
        for: parameters["clientUid"], of: try Problem.need(appID, "appId"), deviceID: deviceID, seconds: seconds ?? 0,
        by: caller, on: connection))
  }

  /// `GET /v1/admin/devices?appId=&clientUid=&psid=&limit=&cursor=`: by how the CUID begins, or by the token.
  func devices() throws(Problem) -> Response {
    let question: UserDirectory.DeviceQuestion =
      if let token = query["psid"] {
        .token(token)
      } else {
        .user(prefix: query["clientUid"] ?? "")
      }
    return .json(
      .ok, try UserDirectory.devices(of: try required("appId"), question, try page(), by: caller, on: connection))
  }

  /// `GET /v1/admin/devices/{device}`: with consents and groups; of the token only how it begins.
  func device() throws(Problem) -> Response {
    guard let device = DeviceID(parameters["device"]) else {
      throw Problem(.unknownDevice, "A device's id is a UUID, as lists show it.")
    }
    return .json(.ok, try UserDirectory.device(device, by: caller, on: connection))
  }
}
