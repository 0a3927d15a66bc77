import Domain
import Foundation
import Postgres
import Reactor
import Simulator
import TestTier
import Testing

@testable import Server

/// What a send asks for is what arrives: headers and payload, judged by the simulator key by key.
@Suite(.slow, .serialized) struct ContentTests {
  private let world: World

  init() throws {
    world = try World { $0.rules.checksPayload = true }
  }

  private static let token = World.token("a1")

  /// Gives a device a token of another kind.
  private func addToken(_ token: String, _ kind: TokenKind, of owner: String) throws {
    try world.connection.script(
      """
      INSERT INTO psids (app, psid, network, kind, device, bound_at, activity)
      SELECT app, '\(token)', network, \(kind.rawValue), device, now(),
        \(kind == .liveActivityUpdate ? "'order-42'" : "NULL")
      FROM psids WHERE psid = '\(owner)' AND kind = 1
      """)
  }

  private func ask(_ members: String) throws -> Reply {
    try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},\#(members)}"#)
  }

  private func delivery(_ members: String, to token: String = Self.token) throws -> DeliveryLog.Delivery {
    let reply = try ask(members)
    #expect(reply.status == 202, "\(reply.text)")
    let seqno = try #require(reply.string("seqno"))
    let funnel = try world.finished(seqno)
    #expect(funnel.int("accepted") == 1, "\(funnel.text)")
    return try #require(world.simulator.deliveries(to: token).last)
  }

  private func aps(_ delivery: DeliveryLog.Delivery) throws -> [String: Any] {
    let payload = try JSONSerialization.jsonObject(with: Data(delivery.payload ?? [])) as? [String: Any]
    return try #require(payload?["aps"] as? [String: Any])
  }

  private struct Expectation {
    let type: String
    let kind: TokenKind
    let members: String
    let suffix: String
    let priority: String
    let payload: String

    init(_ type: String, _ kind: TokenKind, _ members: String, _ suffix: String, _ priority: String, _ payload: String)
    {
      (self.type, self.kind, self.members) = (type, kind, members)
      (self.suffix, self.priority, self.payload) = (suffix, priority, payload)
    }
  }

  private static let expectations: [Expectation] = [
    Expectation("voip", .voip, #""alert":"Kim calls""#, ".voip", "10", #"{"aps":{"alert":"Kim calls"},"mps":{"#),
    Expectation("pushtotalk", .pushToTalk, #""data":{"speaker":"Kim"}"#, ".voip-ptt", "10", #"{"aps":{},"mps":{"#),
    Expectation("complication", .complication, #""data":{"n":1}"#, ".complication", "10", #"{"aps":{},"mps":{"#),
    Expectation("location", .location, #""priority":5"#, ".location-query", "5", #"{"aps":{},"mps":{"#),
    Expectation(
      "fileprovider", .fileProvider, #""data":{"container-identifier":"c"}"#, ".pushkit.fileprovider", "10",
      #"{"container-identifier":"c"}"#),
    Expectation(
      "widgets", .widgets, #""priority":10"#, ".push-type.widgets", "10", #"{"aps":{"content-changed":true}}"#),
    Expectation(
      "controls", .controls, #""collapseId":"controls""#, ".push-type.controls", "10",
      #"{"aps":{"content-changed":true}}"#),
    Expectation(
      "liveactivity", .liveActivityUpdate,
      #""liveActivity":{"event":"update","timestamp":1,"contentState":{"minutes":3}},"priority":5"#,
      ".push-type.liveactivity", "5", #"{"aps":{"timestamp":1,"event":"update","content-state":{"minutes":3}}}"#),
    Expectation(
      "alert", .alert,
      #""alert":{"title":"T","subtitle":"S","body":"%CNAME%"},"interruptionLevel":"time-sensitive""#, "", "10",
      #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"Name of kim"},"mutable-content":1,"sound":"default","interruption-level":"#
    ),
    Expectation(
      "background", .alert, #""data":{"sync":true}"#, "", "5", #"{"aps":{"content-available":1},"mps":{"#),
  ]

  @Test func `every push type arrives with its topic, priority, expiry and payload`() throws {
    try world.register("d1", token: Self.token, user: "kim")
    for (index, expected) in Self.expectations.enumerated() {
      let token = expected.kind == .alert ? Self.token : World.token("b\(index)")
      if expected.kind != .alert { try addToken(token, expected.kind, of: Self.token) }
      let delivery = try delivery(#""pushType":"\#(expected.type)",\#(expected.members)"#, to: token)
      let headers = try #require(delivery.headers)
      #expect(headers.topic == World.appID + expected.suffix)
      #expect(headers.pushType == expected.type)
      #expect(headers.priority == expected.priority)
      let isKept = expected.type != "voip" && expected.type != "pushtotalk"
      #expect((headers.expiration != "0") == isKept, "\(expected.type)")
      let text = String(decoding: delivery.payload ?? [], as: UTF8.self)
      #expect(text.hasPrefix(expected.payload), "\(text)")
    }
    let controls = try #require(world.simulator.deliveries(to: World.token("b6")).last)
    #expect(controls.collapseID.map { String(decoding: $0, as: UTF8.self) } == "controls")
  }

  @Test func `two activities on one device are updated apart and ended together`() throws {
    let device = try world.register("d1", token: Self.token, user: "kim")
    let path = "/v1/devices/\(try #require(device.string("device")))/activities"
    let key = try #require(device.string("authKey"))
    let tokens = [World.token("e1"), World.token("e2")]
    for (id, token) in zip(["order-1", "order-2"], tokens) {
      let body = #"{"psid":"\#(token)","attributesType":"Order"}"#
      #expect(try world.client.call("PUT", "\(path)/\(id)", bearer: key, body).status == 204)
    }
    let update = #""liveActivity":{"event":"update","timestamp":1,"contentState":{"n":1}"#
    _ = try delivery(#"\#(update),"activityId":"order-2"}"#, to: tokens[1])
    #expect(world.simulator.deliveries(to: tokens[0]).isEmpty)
    _ = try delivery(#""liveActivity":{"event":"end","timestamp":2,"attributesType":"Order"}"#, to: tokens[0])
    let counts = tokens.map { world.simulator.deliveries(to: $0).count }
    #expect(counts == [1, 2])
    #expect(world.simulator.counters().duplicates == 0)
    let ids = Set(tokens.compactMap { world.simulator.deliveries(to: $0).last?.id })
    #expect(ids.count == 2, "Apple must not take the second for the first")
    #expect(try world.client.call("DELETE", "\(path)/order-1", bearer: key).status == 204)
    #expect(try ask(#"\#(update),"activityId":"order-1"}"#).status == 202)
    #expect(try world.client.call("PUT", "\(path)/a%20b", bearer: key, #"{"psid":"aa"}"#).status == 404)
    #expect(try world.client.call("PUT", "\(path)/a", bearer: key, #"{"psid":"xyz"}"#).status == 400)
    #expect(try ask(#"\#(update),"activityId":"a b"}"#).string("type") == "upmc:invalid-field")
  }

  @Test func `a device without a token of the kind is skipped, and its ordinary one is not used`() throws {
    try world.register("d1", token: Self.token, user: "kim")
    let seqno = try #require(try ask(#""pushType":"voip""#).string("seqno"))
    let funnel = try world.finished(seqno)
    #expect(funnel.int("skipped") == 1)
    #expect((funnel["reasons"] as? [String: Int])?["no-token"] == 1)
    #expect(world.simulator.deliveries(to: Self.token).isEmpty)
  }

  @Test func `each device gets the text of its language`() throws {
    let locales = ["ko-KR", "en_GB", "de", nil]
    for (index, locale) in locales.enumerated() {
      try world.register("d\(index)", token: World.token("c\(index)"), user: "kim", locale: locale)
    }
    let reply = try ask(
      #""alert":"Hi %CUID%","translations":{"ko":{"title":"안녕","body":"%CNAME%님"},"en-GB":"Hullo %CUID%"}"#)
    _ = try world.finished(try #require(reply.string("seqno")))
    let bodies = try (0..<4).map { index -> String in
      let alert = try aps(try #require(world.simulator.deliveries(to: World.token("c\(index)")).last))["alert"]
      return try #require(alert as? String ?? (alert as? [String: String])?["body"])
    }
    #expect(bodies == ["Name of kim님", "Hullo kim", "Hi kim", "Hi kim"])
  }

  @Test func `a voip payload may have 5120 bytes and an alert 4096, to the byte`() throws {
    try world.register("d1", token: Self.token, user: "kim")
    let voip = World.token("d1")
    try addToken(voip, .voip, of: Self.token)
    for (type, limit, token) in [("voip", 5120, voip), ("alert", 4096, Self.token)] {
      func members(_ bytes: Int) -> String {
        #""pushType":"\#(type)","alert":"x","data":{"k":"\#(String(repeating: "y", count: bytes))"}"#
      }
      let refused = try #require(try ask(members(6000)).string("detail")?.firstMatch(of: #/would have (\d+) bytes/#)?.1)
      // Measured with the longest SEQNO there will ever be: the real one is shorter.
      let rest = try #require(Int(refused)) - 6000
      #expect(try ask(members(limit - rest + 1)).status == 422)
      let delivery = try delivery(members(limit - rest), to: token)
      let payload = try #require(delivery.payload)
      #expect(payload.count <= limit && payload.count >= limit - 16)
    }
  }

  @Test func `what cannot be is refused with pointers, and nothing is stored`() throws {
    try world.register("d1", token: Self.token, user: "kim")
    let reply = try ask(#""pushType":"background","alert":"hi","badge":{"increment":1}"#)
    #expect(reply.status == 422 && reply.string("type") == "upmc:impossible")
    #expect((reply["errors"] as? [[String: String]])?.compactMap { $0["pointer"] } == ["/alert", "/badge"])
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
  }

  @Test func `a dry run shows the payload in each language, the headers, and what the app needs`() throws {
    try world.register("d1", token: Self.token, user: "kim")
    let reply = try ask(
      #""alert":"hi","translations":{"ko":"안녕"},"mediaUrl":"https://a.b/c.jpg","category":"C","dryRun":true"#)
    #expect(reply.status == 200)
    let payloads = try #require(reply["payloads"] as? [[String: Any]])
    #expect(payloads.map { $0["language"] as? String } == [nil, "ko"])
    #expect((reply["headers"] as? [String: Any])?["topic"] as? String == World.appID)
    #expect((reply["notes"] as? [String])?.count == 3)
    #expect((reply["refusals"] as? [Any])?.isEmpty == true)
  }
}
