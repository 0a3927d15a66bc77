import Crypto
import FoundationEssentials
import Testing

@testable import Simulator

/// With curl, an HTTP implementation that is not ours.
@Suite struct `Control API` {
  private let simulator: Simulator
  private let started: Simulator.Started
  private static let token = String(repeating: "ab", count: 32)

  init() throws {
    var configuration = Simulator.Configuration()
    configuration.keepsPayloads = true
    simulator = Simulator(configuration)
    started = try simulator.start()
  }

  /// Status and body of a call.
  private func call(_ method: String, _ target: String, _ body: String? = nil) throws -> (status: Int, body: String) {
    let control = try #require(started.endpoints.control)
    let data = body.map { " -d '\($0)'" } ?? ""
    let output = Shell.run("curl -sS -X \(method)\(data) -w '\\n%{http_code}' 'http://\(control)\(target)'")
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    return (try #require(Int(lines.last ?? "")), lines.dropLast().joined(separator: "\n"))
  }

  private func decode<Document: Decodable>(_ type: Document.Type, _ text: String) throws -> Document {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// A push with curl, which speaks HTTP/2 with another library than ours.
  private func push(_ token: String, headers: [String] = []) throws -> String {
    let jwt = try WireClient.providerToken(started.providerKey)
    let own = ["authorization: bearer \(jwt)", "apns-topic: com.example.app"] + headers
    let flags = own.map { "-H '\($0)'" }.joined(separator: " ")
    let port = try HostPort(started.endpoints.apns).port
    return try Shell.withFile(started.authorityPEM) { file in
      Shell.run(
        "curl -sS --http2 --cacert \(file) \(flags) -d '{\"aps\":{}}' -w '\\n%{http_version} %{http_code}' "
          + "https://localhost:\(port)/3/device/\(token)")
    }
  }

  @Test func `a push of curl is accepted, logged and counted`() throws {
    defer { simulator.stop() }
    let id = "123e4567-e89b-12d3-a456-4266554400a0"
    #expect(try push(Self.token, headers: ["apns-id: \(id)", "apns-collapse-id: 104"]) == "\n2 200")
    let list = try decode(DeliveryList.self, try call("GET", "/deliveries?token=\(Self.token)").body)
    #expect(list.next == nil)
    #expect(list.deliveries.map(\.apnsId) == [id])
    #expect(list.deliveries.map(\.collapseId) == ["104"])
    #expect(list.deliveries.map(\.payload) == [#"{"aps":{}}"#])
    let counters = try decode(Counters.self, try call("GET", "/counters").body)
    #expect(counters.accepted == 1)
    #expect(counters.providerTokens.map(\.keyID) == [started.providerKey.keyID])
    #expect(counters == simulator.counters())
    let same = try decode(DeliveryList.self, try call("GET", "/deliveries?apnsId=\(id)").body)
    #expect(same.deliveries.map(\.token) == [Self.token])
    #expect(try call("GET", "/deliveries?apnsId=x").status == 400)
    // The second of a collapse-id takes the first one's place.
    _ = try push(Self.token, headers: ["apns-collapse-id: 104"])
    #expect(try decode(DeliveryList.self, try call("GET", "/shown?token=\(Self.token)").body).deliveries.count == 1)
    #expect(try call("GET", "/shown").status == 400)
  }

  @Test func `connections are cut and refused on demand`() throws {
    defer { simulator.stop() }
    #expect(try call("DELETE", "/connections?form=fin").status == 204)
    #expect(try call("DELETE", "/connections?form=nonsense").status == 400)
    #expect(try call("GET", "/connections").status == 405)
    #expect(try call("POST", "/outage?milliseconds=3600000").status == 204)
    #expect(try push(Self.token).contains("Failed to connect") || (try push(Self.token)) == "\n0 000")
    #expect(try call("POST", "/outage?milliseconds=x").status == 400)
  }

  @Test func `all deliveries come page by page`() throws {
    defer { simulator.stop() }
    for token in ["aa", "bb", "cc"] { _ = try push(token) }
    let first = try decode(DeliveryList.self, try call("GET", "/deliveries?limit=2").body)
    #expect(first.deliveries.map(\.token) == ["aa", "bb"])
    #expect(first.next == 2)
    let rest = try decode(DeliveryList.self, try call("GET", "/deliveries?after=2").body)
    #expect(rest.deliveries.map(\.token) == ["cc"])
    #expect(rest.next == nil)
    #expect(try decode(DeliveryList.self, try call("GET", "/deliveries?after=99").body).deliveries.isEmpty)
    #expect(try call("GET", "/deliveries?after=-1").status == 400)
  }

  @Test func `faults are put into force and ended`() throws {
    defer { simulator.stop() }
    let added = try call("POST", "/faults", #"{"kind":"answer","reason":"TooManyRequests","tokenPrefix":"ab"}"#)
    #expect(added.status == 200)
    #expect(try push(Self.token) == #"{"reason":"TooManyRequests"}"# + "\n2 429")
    let all = try decode([FaultDocument].self, try call("GET", "/faults").body)
    #expect(all.map(\.applied) == [1])
    let id = try #require(all.first?.id)
    #expect(try call("DELETE", "/faults?id=\(id)").status == 204)
    #expect(try call("DELETE", "/faults?id=\(id)").status == 404)
    #expect(try push(Self.token) == "\n2 200")
    _ = try call("POST", "/faults", #"{"kind":"silence"}"#)
    #expect(try call("DELETE", "/faults").status == 204)
    #expect(try call("GET", "/faults").body == "[]")
  }

  @Test func `tokens are registered with their state`() throws {
    defer { simulator.stop() }
    let body = #"[{"token":"\#(Self.token)","state":"expired","since":5},{"token":"aa","environment":"sandbox"}]"#
    #expect(try call("POST", "/tokens", body).status == 204)
    #expect(try push(Self.token) == #"{"reason":"ExpiredToken","timestamp":5}"# + "\n2 410")
    #expect(try push("aa") == #"{"reason":"BadDeviceToken"}"# + "\n2 400")
    let half = #"[{"token":"bb","state":"expired"},{"token":"odd"}]"#
    #expect(try call("POST", "/tokens", half).status == 400)
    // All or nothing.
    #expect(try push("bb") == "\n2 200")
  }

  @Test func `a key is registered and its owner may push`() throws {
    defer { simulator.stop() }
    let provider = TestProvider()
    let pem = provider.privateKey.publicKey.pem.split(separator: "\n").joined(separator: "\\n")
    let body = #"{"teamId":"\#(provider.teamID)","keyId":"\#(provider.keyID)","publicKey":"\#(pem)"}"#
    #expect(try call("POST", "/keys", body).status == 204)
    let known = simulator.ask { $0.simulated.knowledge.keys.all.map(\.keyID) }
    #expect(known.contains(provider.keyID))
    #expect(try call("POST", "/keys", #"{"teamId":"T","keyId":"K","publicKey":"x"}"#).status == 400)
  }

  @Test func `a reset forgets what was seen`() throws {
    defer { simulator.stop() }
    _ = try push(Self.token)
    _ = try call("POST", "/faults", #"{"kind":"silence"}"#)
    #expect(try call("POST", "/reset").status == 204)
    #expect(try decode(DeliveryList.self, try call("GET", "/deliveries").body).deliveries.isEmpty)
    #expect(try call("GET", "/faults").body == "[]")
    #expect(simulator.counters().requests == 0)
  }

  @Test func `authority and key can be fetched`() throws {
    defer { simulator.stop() }
    #expect(try call("GET", "/ca.pem").body == started.authorityPEM)
    #expect(try call("GET", "/key.p8").body.hasPrefix("-----BEGIN PRIVATE KEY-----"))
  }

  @Test(arguments: [
    ("GET", "/nothing", 404), ("PUT", "/faults", 405), ("POST", "/counters", 405), ("GET", "/reset", 405),
    ("DELETE", "/faults?id=x", 400),
  ])
  func `a wrong call is told so`(method: String, target: String, status: Int) throws {
    defer { simulator.stop() }
    let answer = try call(method, target)
    #expect(answer.status == status)
    #expect(answer.body.hasPrefix(#"{"error":"#))
  }

  @Test(arguments: [
    "", "x", "[]", "{}", #"{"kind":"answer"}"#, #"{"kind":"dance"}"#, #"{"kind":"slow","milliseconds":-1}"#,
  ])
  func `a malformed fault is told so`(body: String) throws {
    defer { simulator.stop() }
    #expect(try call("POST", "/faults", body).status == 400)
  }
}
