import JSON
import Domain
import HTTPServer
import Operations
import Postgres
import Reactor
import Simulator
import TestSupport
import Testing
import Time

@testable import API

/// A server with an app, and what the paths of the document need: each call gets a device, a group and a message anew.
final class ExampleStage {
  let world: World
  /// Who calls the admin API; nil: an API key.
  var session: TestClient.Session?
  /// One document for all stages, because making it takes long.
  private static let documented = SchemaCheck(document: Document.make())
  var check: SchemaCheck { Self.documented }
  private var count = 0

  init() throws {
    world = try World()
    // The one that the document adopts.
    world.simulator.ask { service in
      _ = service.simulated.knowledge.channels.create(
        "dHN0LXNyY2gtY2hubA==", .production, World.appID, policy: 1)
    }
    try allowDeviceSends()
  }

  /// Devices may send in this app; the server's loops learn of it a moment later.
  private func allowDeviceSends() throws {
    _ = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"deviceSends":1000}"#)
    let device = try world.register("sender", token: World.token("ff"), user: "sender")
    let path = "/v1/devices/\(device.string("device") ?? "")/messages"
    _ = try poll("devices may not send") {
      let reply = try world.client.call(
        "POST", path, bearer: device.string("authKey"), #"{"audience":{"clientUids":["nobody"]},"alert":"x"}"#)
      return reply.status == 403 ? nil : reply
    }
  }

  /// - Parameter bearer: in place of the credential that the operation needs; `.some(nil)` for none.
  func call(
    _ operation: Endpoint, _ body: String?, path: String? = nil, bearer: String?? = nil
  ) throws -> Reply {
    let (target, credential) = try prepare(operation)
    let reply = try world.client.call(
      operation.method.rawValue, path ?? target, bearer: session == nil ? bearer ?? credential : nil, try signed(body),
      type: operation.body?.type, session: session)
    if operation.id == "restoreApp", reply.status == 200 { try awaitDevices() }
    return reply
  }

  /// The pushkey of the document is nobody's: the one that this server makes stands in its place.
  private func signed(_ body: String?) throws -> String? {
    guard let body, body.contains(#""pushkey":"0123456789"#) else { return body }
    let keys = try SigningKeys.load(world.connection, master: try World.master)
    let psid = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    return body.replacing(
      "0123456789012345678901234567890123456789", with: keys.pushkeys.make(seqno: "104", psid: psid))
  }

  /// The server's loops learn a moment later that the app is back.
  private func awaitDevices() throws {
    _ = try poll("devices may not register") {
      try world.register("sender", token: World.token("ff"), user: "sender").status == 409 ? nil : true
    }
  }

  /// Makes what the operation's path names.
  func prepare(_ operation: Endpoint) throws -> (target: String, credential: String?) {
    count += 1
    // An app has one former client key at most.
    if operation.id == "replaceClientKey" { try world.connection.script("UPDATE apps SET former_client_key = NULL") }
    var target = operation.pattern
    var credential: String?
    switch operation.access {
    case .open: break
    case .clientKey: credential = world.clientKey
    case .caller, .permission: credential = world.apiKey
    case .authKey:
      let token = World.token(String(256 + count % 250, radix: 16).suffix(2).description)
      let device = try world.register("example-\(count)", token: token, user: "kim01")
      credential = device.string("authKey")
      target = target.replacing("{device}", with: device.string("device") ?? "")
    }
    if target.contains("{groupSeq}") { target = target.replacing("{groupSeq}", with: try group()) }
    if target.contains("{seqno}") { target = target.replacing("{seqno}", with: try message(operation)) }
    if target.contains("{segmentId}") { target = target.replacing("{segmentId}", with: try segment()) }
    target = try SavedExamples.fill(target, in: world, count)
    if target.contains("{webhookId}") { target = target.replacing("{webhookId}", with: try webhook()) }
    target = target.replacing("{kind}", with: "voip").replacing("{activityId}", with: "order-42")
    if target.contains("{uploadId}") { target = target.replacing("{uploadId}", with: try upload()) }
    if target.contains("{csvId}") { target = target.replacing("{csvId}", with: try audience()) }
    if target.contains("{channelId}") { target = target.replacing("{channelId}", with: try channel()) }
    target = target.replacing("{appId}", with: World.appID).replacing("{clientUid}", with: "kim01")
    if target.contains("{device}") {
      let device = try world.register("shown-\(count)", token: World.token("ab"), user: "kim01")
      target = target.replacing("{device}", with: device.string("device") ?? "")
    } else if target.contains("kim01") {
      _ = try world.register("shown", token: World.token("ab"), user: "kim01")
    }
    // The one that is used here was made first.
    if target.contains("{apiKeyId}") {
      _ = try world.client.call("POST", "/v1/admin/api-keys", bearer: world.apiKey, #"{"role":"viewer"}"#)
      target = target.replacing("{apiKeyId}", with: "2")
    }
    if target.contains("{accountId}") {
      let made = try world.client.call(
        "POST", "/v1/admin/accounts", bearer: world.apiKey, #"{"login":"a\#(count)","name":"a","role":"viewer"}"#)
      target = target.replacing("{accountId}", with: made.string("accountId") ?? "")
    }
    var sign = "?"
    for parameter in operation.parameters where parameter.isNeeded || parameter.name == "appId" {
      let value =
        switch parameter.name {
        case "pnsId": "APNS"
        case "environment": "production"
        case "groupSeq": try group()
        case "seqno": try message(operation)
        default: World.appID
        }
      target += "\(sign)\(parameter.name)=\(value)"
      sign = "&"
    }
    return (target, credential)
  }

  /// As the server has it: uploads need an address that devices reach.
  private func upload() throws -> String {
    try world.connection.script(
      """
      INSERT INTO hosted_files (name, app, suffix, type, bytes, part_bytes, sha256, created_at, expires_at)
      VALUES ('upload\(count)', 1, '.jpg', 'image/jpeg', 1, 1, '', now(), now() + interval '1 day')
      """)
    return "upload\(count)"
  }

  private func audience() throws -> String {
    try #require(
      try world.client.call(
        "POST", "/v1/admin/audiences/csv?appId=\(World.appID)", bearer: world.apiKey, "kim\(count),Kim\n",
        type: "text/csv"
      ).string("csvId"))
  }

  private func webhook() throws -> String {
    let body = #"{"appId":"\#(World.appID)","url":"https://sms.example.com/","kinds":["sms.requested"]}"#
    return try #require(
      try world.client.call("POST", "/v1/admin/webhooks", bearer: world.apiKey, body).string("webhookId"))
  }

  private func channel() throws -> String {
    try #require(
      try world.client.call(
        "POST", "/v1/admin/apps/\(World.appID)/channels", bearer: world.apiKey, #"{"name":"channel \#(count)"}"#
      ).string("channelId"))
  }

  private func segment() throws -> String {
    let body = #"{"appId":"\#(World.appID)","name":"segment \#(count)","conditions":{"member":true}}"#
    return try #require(
      try world.client.call("POST", "/v1/admin/segments", bearer: world.apiKey, body).string("segmentId"))
  }

  /// The days of the examples pass; the test must not.
  static func withComingDays(_ json: String) -> String {
    func day(_ number: Int64) -> String {
      String((SystemClock().wallTime + .seconds(number * 86_400)).description.prefix(10))
    }
    return json.replacing(MessageExamples.day, with: day(10)).replacing(MessageExamples.lastDay, with: day(90))
  }

  private func group() throws -> String {
    let body = #"{"appId":"\#(World.appID)","name":"group \#(count)"}"#
    return try #require(
      try world.client.call("POST", "/v1/admin/groups", bearer: world.apiKey, body).string("groupSeq"))
  }

  /// One that has ended, or, for what can only be done on the way, one that goes out slowly, or has not begun.
  private func message(_ operation: Endpoint) throws -> String {
    if operation.id == "replaceMessage" {
      let day = Self.withComingDays(MessageExamples.day)
      return try world.send(#"{"all":true}"#, #","sendAt":"\#(day)T00:00:00Z""#)
    }
    guard operation.ownProblems.contains(.wrongState), operation.id != "resendMessage" else {
      let seqno = try world.send(#"{"clientUids":["nobody"]}"#)
      _ = try world.finished(seqno)
      return seqno
    }
    for number in 1...2 {
      try world.register("slow-\(number)", token: World.token("e\(number)"), user: "slow\(number)")
    }
    let seqno = try world.send(#"{"clientUids":["slow1","slow2"]}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    if operation.id == "resumeMessage" {
      _ = try world.client.call("POST", "/v1/admin/messages/\(seqno)/pause", bearer: world.apiKey)
    }
    return seqno
  }

  /// What the document does not say of this answer.
  func faults(of reply: Reply, to operation: Endpoint) -> [String] {
    guard let response = response(of: operation, status: reply.status) else {
      return ["the status \(reply.status) is not documented"]
    }
    let content = response["content"]?.members.first
    if let type = content?.name, !type.hasSuffix("json") { return reply.text.isEmpty ? ["it has no body"] : [] }
    guard let schema = content?.value["schema"] else {
      return reply.text.isEmpty ? [] : ["it has a body"]
    }
    let answer = JSONTree.json(reply.text)
    return check.faults(answer, schema) + codeFaults(answer, reply.status, response)
  }

  /// A problem has the status of its answer and a code that the document has there.
  private func codeFaults(_ answer: JSONTree, _ status: Int, _ response: JSONTree) -> [String] {
    guard let codes = response["x-problemTypes"]?.elements.compactMap(\.string) else { return [] }
    let code = answer["type"]?.string ?? "none"
    return (codes.contains(code) ? [] : ["the code \(code) is not documented for \(status)"])
      + (answer["status"]?.string == String(status) ? [] : ["its status is not \(status)"])
  }

  /// What the document says of one status of an operation, looked up through its reference.
  private func response(of operation: Endpoint, status: Int) -> JSONTree? {
    let path = check.document["paths"]?[operation.pattern]?[operation.method.rawValue.lowercased()]
    return path?["responses"]?[String(status)].map(check.resolved)
  }
}
