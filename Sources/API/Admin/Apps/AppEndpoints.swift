internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Apps.
extension AdminCall {
  /// `GET /v1/admin/apps?limit=&cursor=`: those that the caller reaches, by id.
  func apps() throws(Problem) -> Response {
    .json(.ok, try Administration.apps(try page(), by: caller, on: connection))
  }

  /// `POST /v1/admin/apps`: `{"appId","name","timeZone"?,"identity"?}`.
  func createApp() throws(Problem) -> Response {
    var (appID, name): (String?, String?)
    var timeZone = "Asia/Seoul"
    var identity = App.Identity.proof
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "name": name = try reader.readString()
      case "timeZone": timeZone = try reader.readString()
      case "identity": identity = try reader.readIdentity()
      default: throw .unknownField
      }
    }
    return .json(
      .created,
      try Administration.createApp(
        try Problem.need(appID, "appId"), name: try Problem.need(name, "name"), timeZone: timeZone,
        identity: identity, by: caller, on: connection))
  }

  /// `GET /v1/admin/apps/{appId}`: with its settings.
  func app() throws(Problem) -> Response {
    .json(.ok, try Administration.app(parameters["appId"], by: caller, on: connection))
  }

  /// `GET /v1/admin/apps/{appId}/identity`: what a stricter identity would refuse, and whom it would lose.
  func appIdentity() throws(Problem) -> Response {
    .json(.ok, try Administration.identity(of: parameters["appId"], by: caller, on: connection))
  }

  /// `PATCH /v1/admin/apps/{appId}`: any of its settings.
  func changeApp() throws(Problem) -> Response {
    var change = Administration.AppChange()
    var names = false
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "name": change.name = try reader.readString()
      case "timeZone": change.timeZone = try reader.readString()
      case "devicePolicy":
        guard let policy = App.DevicePolicy(name: try reader.readString()) else {
          throw JSONError("must be multi or single")
        }
        change.devicePolicy = policy
      case "deviceSends":
        change.deviceSends = Int16(try reader.readCount(in: Operations.Limits.deviceSendsPerMinute))
      case "badgeSync": change.badgeSync = try reader.readBool()
      case "approvalAbove":
        change.approvalAbove =
          try reader.readNull() ? 0 : Int64(try reader.readCount(in: Operations.Limits.approvalAbove))
      case "extension": change.hasExtension = try reader.readBool()
      case "identity": change.identity.identity = try reader.readIdentity()
      case "unprovedBindings": change.identity.unprovedBindings = try reader.readInteger()
      case "observedIdentity":
        change.identity.observed = .some(try reader.readNull() ? nil : try reader.readIdentity())
      case "keepsUserOnRefresh": change.identity.keepsUserOnRefresh = try reader.readBool()
      case "confidentialTo": change.identity.keepsConfidentialToProved = try reader.readConfidentialTo()
      case "confidentialLanes": change.confidentialLanes = try reader.readLanes()
      case "confidentialSdkSends": change.confidentialSDK = try reader.readBool()
      case "tellsDevices": change.identity.tellsDevices = try reader.readBool()
      default: throw .unknownField
      }
      names = true
    }
    guard names else { throw Problem(.invalidField, "Name a setting: {\"deviceSends\":10}.") }
    return .json(.ok, try Administration.change(parameters["appId"], change, by: caller, on: connection))
  }

  /// `POST /v1/admin/apps/{appId}/resume`: lets the messages of a paused app go on.
  func resumeApp() throws(Problem) -> Response {
    let entry = try Administration.resumeApp(parameters["appId"], by: caller, on: connection)
    resources.messageCommitted()
    return .json(.ok, entry)
  }
}

extension JSONReader {
  fileprivate mutating func readIdentity() throws(JSONError) -> App.Identity {
    guard let identity = App.Identity(name: try readString()) else { throw JSONError("must be open, proof or strict") }
    return identity
  }

  fileprivate mutating func readLanes() throws(JSONError) -> Set<Lane> {
    var lanes: Set<Lane> = []
    try readArray { (reader, _) throws(JSONError) in
      guard let lane = Lane(name: try reader.readString()) else { throw JSONError("must be urgent, normal or bulk") }
      lanes.insert(lane)
    }
    return lanes
  }

  fileprivate mutating func readConfidentialTo() throws(JSONError) -> Bool {
    switch try readString() {
    case "all": return false
    case "proved": return true
    default: throw JSONError("must be all or proved")
    }
  }
}
