internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor

/// Where events go, what was told, and telling it again.
extension AdminCall {
  /// `{"appId","url","kinds"}`.
  func createWebhook() throws(Problem) -> Response {
    let (appID, change) = try Self.readWebhook(try jsonBody())
    guard let appID else { throw Problem(at: "/appId", "is needed") }
    return .json(
      .created,
      try WebhookKeeping.create(
        change, of: appID, master: try masterKey(), by: caller, on: connection,
        now: resources.clock.wallMicroseconds))
  }

  /// `?appId=&limit=&cursor=`.
  func webhooks() throws(Problem) -> Response {
    .json(
      .ok,
      try WebhookKeeping.list(query["appId"], try page(), by: caller, on: connection))
  }

  func webhook() throws(Problem) -> Response {
    .json(.ok, try WebhookKeeping.find(parameters["webhook"], by: caller, on: connection))
  }

  /// `{"url"?,"kinds"?,"active"?,"renewSecret"?}`.
  func changeWebhook() throws(Problem) -> Response {
    let (appID, change) = try Self.readWebhook(try jsonBody())
    guard appID == nil else { throw Problem(at: "/appId", "cannot be changed") }
    return .json(
      .ok,
      try WebhookKeeping.change(
        parameters["webhook"], change, master: try masterKey(), by: caller, on: connection))
  }

  func deleteWebhook() throws(Problem) -> Response {
    try WebhookKeeping.delete(parameters["webhook"], by: caller, on: connection)
    return Response(status: .noContent, headers: [], body: [])
  }

  func testWebhook() throws(Problem) -> Response {
    .json(.accepted, try EventKeeping.test(parameters["webhook"], by: caller, on: connection))
  }

  /// `?state=&limit=&cursor=`.
  func webhookDeliveries() throws(Problem) -> Response {
    .json(
      .ok,
      try EventKeeping.list(
        parameters["webhook"], state: query["state"], try page(), by: caller, on: connection))
  }

  /// `{"dead":true}`, `{"since":"…"}` or `{"id":"…"}`.
  func replayEvents() throws(Problem) -> Response {
    let replay = try EventKeeping.readReplay(json: try jsonBody())
    return .json(.ok, try EventKeeping.replay(replay, to: parameters["webhook"], by: caller, on: connection))
  }

  /// `?limit=&cursor=`.
  func fallbacks() throws(Problem) -> Response {
    .json(.ok, try EventKeeping.fallbacks(of: try seqno(), try page(), by: caller, on: connection))
  }

  private func masterKey() throws(Problem) -> MasterKey {
    guard let master = resources.master else {
      throw Problem(.internalError, "This server has no master key to seal secrets with.")
    }
    return master
  }

  private static func readWebhook(
    _ body: [UInt8]
  ) throws(Problem) -> (appID: String?, WebhookKeeping.Change) {
    var reader = JSONReader(body)
    var appID: String?
    var change = WebhookKeeping.Change()
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
        case "url": change.url = try reader.readText(upTo: Operations.Limits.webhookURLBytes)
        case "kinds": change.kinds = try readKinds(&reader)
        case "active": change.isActive = try reader.readBool()
        case "renewSecret": change.renewsSecret = try reader.readBool()
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    return (appID, change)
  }

  private static func readKinds(_ reader: inout JSONReader) throws(JSONError) -> [EventKind] {
    var kinds: [EventKind] = []
    try reader.readArray { (reader, index) throws(JSONError) in
      guard index < Operations.Limits.webhookKinds else {
        throw JSONError("is one more than the \(Operations.Limits.webhookKinds) that may be named")
      }
      guard let kind = EventKind(rawValue: try reader.readString()), EventKind.wanted.contains(kind) else {
        throw JSONError("must be one of \(EventKind.wanted.map(\.rawValue).joined(separator: ", "))")
      }
      if !kinds.contains(kind) { kinds.append(kind) }
    }
    guard !kinds.isEmpty else { throw JSONError("must name one at least") }
    return kinds
  }
}
