import Domain
import HTTPServer
import Operations
import Reactor
import Testing

@testable import OpenAPI

/// The API's document against a running server: what it shows as an example is taken, and what comes back is as it says.
@Suite(.serialized) struct DocumentExampleTests {
  @Test func `every example of the document is accepted, and answered as documented`() throws {
    let stage = try Stage()
    var calls = 0
    for operation in APIOperation.all where operation.pattern.hasPrefix("/v1/") || operation.pattern == "/health" {
      // These need a browser's session; AdminTests have one.
      if ["signIn", "signOut", "choosePassword"].contains(operation.id) { continue }
      let bodies = operation.body?.examples.map { ($0.name, Optional($0.json)) } ?? [("no body", nil)]
      for (name, body) in bodies {
        let reply = try stage.call(operation, body.map(Stage.withComingDays))
        calls += 1
        #expect(
          operation.answers.contains { $0.status == reply.status },
          "\(operation.id), \(name): \(reply.status) \(reply.text)")
        #expect(stage.faults(of: reply, to: operation) == [], "\(operation.id), \(name): \(reply.text)")
      }
    }
    #expect(calls > APIOperation.all.count - 3)
  }

  @Test func `every example of an answer is as its schema says`() throws {
    let document = Document.make()
    let check = SchemaCheck(document: document)
    for operation in APIOperation.all {
      for answer in operation.answers {
        guard let schema = answer.schema, let example = answer.example else { continue }
        #expect(check.faults(.json(example), Schema.reference(schema)) == [], "\(operation.id) \(answer.status)")
      }
      for example in operation.body?.examples ?? [] {
        guard operation.body?.type == "application/json" else { continue }
        let schema = Schema.reference(operation.body?.schema ?? "")
        #expect(check.faults(.json(example.json), schema) == [], "\(operation.id), \(example.name)")
      }
    }
  }

  @Test func `what is refused is refused with a documented problem`() throws {
    let stage = try Stage()
    for operation in APIOperation.all where operation.pattern.hasPrefix("/v1/") {
      var replies = [
        try stage.call(operation, "{}", bearer: .some(nil)), try stage.call(operation, "{}", bearer: "wrong"),
      ]
      let nowhere = operation.pattern.replacing(#/\{\w+\}/#, with: "999999999")
      replies.append(try stage.call(operation, operation.body?.examples.first?.json, path: nowhere))
      if operation.body != nil {
        for body in [
          "", "{", "[]", "null", "7", "{}", #"{"nobody":1}"#, #"{"a":{"b":[[[[[[[[[[]]]]]]]]]]}}"#, "{\"a\":\"\u{1}\"}",
          #"{"appId":"\u0000"}"#, #"{"appId":7,"receipts":{},"reads":{},"badge":"1","clientUid":[],"to":1,"pace":7}"#,
        ] {
          replies.append(try stage.call(operation, body))
        }
      }
      for reply in replies where reply.status >= 400 {
        #expect(stage.faults(of: reply, to: operation) == [], "\(operation.id): \(reply.text)")
      }
    }
  }

  @Test func `other methods and other paths are refused with problems`() throws {
    let stage = try Stage()
    for pattern in Set(APIOperation.all.map(\.pattern)) {
      let known = APIOperation.all.filter { $0.pattern == pattern }.map(\.method.rawValue)
      for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"] where !known.contains(method) {
        let path = pattern.replacing(#/\{\w+\}/#, with: "1")
        let reply = try stage.world.client.call(method, path, bearer: stage.world.apiKey)
        #expect(
          reply.status == 405 && reply.string("type") == "upmc:method-not-allowed", "\(method) \(path): \(reply.text)")
      }
    }
    for path in ["/v1", "/v1/", "/v1/nothing", "/v1/devices/", "/v1/admin", "/v1/admin/", "/v1/admin/messages/1/2/3"] {
      let reply = try stage.world.client.call("GET", path, bearer: stage.world.apiKey)
      #expect(reply.status == 404 && reply.string("type") == "upmc:not-found", "\(path): \(reply.text)")
    }
  }

  /// A server with an app, and what the paths of the document need: each call gets a device, a group and a message anew.
  private final class Stage {
    let world: World
    let check = SchemaCheck(document: Document.make())
    private var count = 0

    init() throws {
      world = try World()
      try allowDeviceSends()
    }

    /// Devices may send in this app; the server's loops learn of it a moment later.
    private func allowDeviceSends() throws {
      _ = try world.client.call(
        "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"deviceSends":1000}"#)
      let device = try world.register("sender", token: World.token("ff"), user: "sender")
      let path = "/v1/devices/\(device.string("device") ?? "")/messages"
      _ = try world.poll("devices may not send") {
        let reply = try world.client.call(
          "POST", path, bearer: device.string("authKey"), #"{"audience":{"clientUids":["nobody"]},"alert":"x"}"#)
        return reply.status == 403 ? nil : reply
      }
    }

    /// - Parameter bearer: in place of the credential that the operation needs; `.some(nil)` for none.
    func call(
      _ operation: APIOperation, _ body: String?, path: String? = nil, bearer: String?? = nil
    ) throws -> Reply {
      count += 1
      var target = operation.pattern
      var credential: String?
      switch operation.proof {
      case .nothing: break
      case .clientKey: credential = world.clientKey
      case .apiKey: credential = world.apiKey
      case .authKey:
        let token = World.token(String(256 + count % 250, radix: 16).suffix(2).description)
        let device = try world.register("example-\(count)", token: token, user: "kim01")
        credential = device.string("authKey")
        target = target.replacing("{device}", with: device.string("device") ?? "")
      }
      if target.contains("{groupSeq}") { target = target.replacing("{groupSeq}", with: try group()) }
      if target.contains("{seqno}") { target = target.replacing("{seqno}", with: try message(operation)) }
      if target.contains("{segment}") { target = target.replacing("{segment}", with: try segment()) }
      target = target.replacing("{kind}", with: "voip")
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
      if target.contains("{account}") {
        let made = try world.client.call(
          "POST", "/v1/admin/accounts", bearer: world.apiKey, #"{"login":"a\#(count)","name":"a","role":"viewer"}"#)
        target = target.replacing("{account}", with: made.string("account") ?? "")
      }
      var sign = "?"
      for parameter in operation.parameters where parameter.isNeeded {
        target += "\(sign)\(parameter.name)=\(parameter.name == "pnsId" ? "APNS" : World.appID)"
        sign = "&"
      }
      return try world.client.call(
        operation.method.rawValue, path ?? target, bearer: bearer ?? credential, body, type: operation.body?.type)
    }

    private func segment() throws -> String {
      let body = #"{"appId":"\#(World.appID)","name":"segment \#(count)","conditions":{"member":true}}"#
      return try #require(
        try world.client.call("POST", "/v1/admin/segments", bearer: world.apiKey, body).string("segment"))
    }

    /// The days of the examples pass; the test must not.
    static func withComingDays(_ json: String) -> String {
      func day(_ number: Int64) -> String {
        String(Timestamp.text(SystemClock().wallMicroseconds + number * 86_400_000_000).prefix(10))
      }
      return json.replacing(MessageExamples.day, with: day(10)).replacing(MessageExamples.lastDay, with: day(90))
    }

    private func group() throws -> String {
      let body = #"{"appId":"\#(World.appID)","name":"group \#(count)"}"#
      return try #require(
        try world.client.call("POST", "/v1/admin/groups", bearer: world.apiKey, body).string("groupSeq"))
    }

    /// One that has ended, or, for what can only be done on the way, one that goes out slowly.
    private func message(_ operation: APIOperation) throws -> String {
      guard operation.ownProblems.contains(.wrongState), operation.id != "resendMessage" else {
        return try world.send(#"{"clientUids":["nobody"]}"#)
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
    func faults(of reply: Reply, to operation: APIOperation) -> [String] {
      guard let response = Document.response(of: operation, status: reply.status) else {
        return ["the status \(reply.status) is not documented"]
      }
      guard let schema = response["content"]?.members.first?.value["schema"] else {
        return reply.text.isEmpty ? [] : ["it has a body"]
      }
      return check.faults(.json(reply.text), schema)
    }
  }
}

extension Document {
  /// What the document says of one status of an operation, looked up through its reference.
  fileprivate static func response(of operation: APIOperation, status: Int) -> Node? {
    let check = SchemaCheck(document: make())
    let path = check.document["paths"]?[operation.pattern]?[operation.method.rawValue.lowercased()]
    return path?["responses"]?[String(status)].map(check.resolved)
  }
}
