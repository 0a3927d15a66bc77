import Foundation
import Simulator
import TestTier
import Testing

/// Audiences beyond lists: tags, saved segments, files.
@Suite(.slow, .serialized) struct AudienceTests {
  private static let tokens = ["a1", "b2", "c3"].map(World.token)

  private func world() throws -> World {
    let world = try World()
    for (index, user) in ["kim", "lee", "park"].enumerated() {
      try world.register("d\(index)", token: Self.tokens[index], user: user)
    }
    return world
  }

  private func admin(_ world: World, _ method: String, _ path: String, _ body: String? = nil) throws -> Reply {
    try world.client.call(method, path, bearer: world.apiKey, body)
  }

  @Test func `a saved segment is counted, sent to, and stays in the message as it was`() throws {
    let world = try world()
    let tagged = try admin(
      world, "POST", "/v1/admin/tags", #"{"appId":"\#(World.appID)","clientUids":["kim","lee"],"add":["vip"]}"#)
    #expect(tagged.int("changed") == 2, "\(tagged.text)")
    let made = try admin(
      world, "POST", "/v1/admin/segments",
      #"{"appId":"\#(World.appID)","name":"vip","conditions":{"tags":{"any":["vip"]}}}"#)
    let segment = try #require(made.string("segmentId"))
    #expect(try admin(world, "GET", "/v1/admin/segments/\(segment)/count").int("devices") == 2)
    let dry = try admin(
      world, "POST", "/v1/admin/messages",
      #"{"appId":"\#(World.appID)","audience":{"segment":"\#(segment)"},"alert":"x","dryRun":true}"#)
    #expect(dry.int("targeted") == 2, "\(dry.text)")

    let sent = try world.finished(try world.send(#"{"segment":"\#(segment)"}"#, #","badge":{"increment":1}"#))
    #expect(sent.int("targeted") == 2 && sent.int("accepted") == 2, "\(sent.text)")
    // Reserved, then the segment changes and goes: the message does not.
    let due = ISO8601DateFormatter().string(from: Date().addingTimeInterval(3_600))
    let later = try world.send(#"{"segment":\#(segment)}"#, #","sendAt":"\#(due)""#)
    #expect(
      try admin(world, "PUT", "/v1/admin/segments/\(segment)", #"{"conditions":{"member":false}}"#).status == 200)
    #expect(try admin(world, "DELETE", "/v1/admin/segments/\(segment)").status == 204)
    // However long that has taken, it becomes due only now.
    try world.script("UPDATE messages SET due_at = now() WHERE seqno = \(later)")
    #expect(try world.finished(later).int("accepted") == 2)
    let gone = try admin(
      world, "POST", "/v1/admin/messages",
      #"{"appId":"\#(World.appID)","audience":{"segment":"\#(segment)"},"alert":"x"}"#)
    #expect(gone.status == 404 && gone.string("type") == "upmc:unknown-segment", "\(gone.text)")
  }

  @Test func `an inline segment reaches exactly those it means`() throws {
    let world = try world()
    let funnel = try world.finished(
      try world.send(#"{"segment":{"member":true,"not":{"clientUids":["lee"]}}}"#))
    #expect(funnel.int("targeted") == 2 && funnel.int("accepted") == 2, "\(funnel.text)")
    #expect(try world.payloads(Self.tokens[1]).isEmpty)
  }

  @Test func `a file is uploaded and sent to, and its unknown users are told`() throws {
    let world = try world()
    let path = "/v1/admin/audiences/csv?appId=\(World.appID)"
    let stored = try world.client.call(
      "POST", path, bearer: world.apiKey, "CUID,NAME,VAR1\nkim,Kim,10\nnobody,,\npark,,30\nkim,,\n", type: "text/csv")
    #expect(stored.status == 201 && stored.int("devices") == 2 && stored.int("unknown") == 1, "\(stored.text)")
    let csv = try #require(stored.string("csvId"))
    let sent = try admin(
      world, "POST", "/v1/admin/messages", #"{"appId":"\#(World.appID)","audience":{"csv":"\#(csv)"},"alert":"x"}"#)
    #expect(sent.status == 202 && sent["unknown"] as? [String] == ["nobody"], "\(sent.text)")
    let funnel = try world.finished(try #require(sent.string("seqno")))
    #expect(funnel.int("targeted") == 2 && funnel.int("accepted") == 2, "\(funnel.text)")
    #expect(try world.payloads(Self.tokens[1]).isEmpty)
    let wrong = try world.client.call("POST", path, bearer: world.apiKey, "kim\nGUEST\n", type: "text/csv")
    #expect(wrong.status == 422 && wrong.text.contains("/lines/2"), "\(wrong.text)")
    let missing = try admin(
      world, "POST", "/v1/admin/messages", #"{"appId":"\#(World.appID)","audience":{"csv":"999"},"alert":"x"}"#)
    #expect(missing.status == 404 && missing.string("type") == "upmc:unknown-upload", "\(missing.text)")
  }

  private func upload(_ world: World, _ text: String) throws -> String {
    let stored = try world.client.call(
      "POST", "/v1/admin/audiences/csv?appId=\(World.appID)", bearer: world.apiKey, text, type: "text/csv")
    return try #require(stored.string("csvId"), "\(stored.text)")
  }

  private func bodies(_ world: World, _ token: String) throws -> [String] {
    try world.payloads(token).compactMap { payload in
      let alert = (payload["aps"] as? [String: Any])?["alert"]
      return alert as? String ?? (alert as? [String: Any])?["body"] as? String
    }
  }

  @Test func `each line's values stand in its user's payload, also when it is sent again`() throws {
    let world = try world()
    let csv = try upload(world, "CUID,NAME,VAR1,VAR3\nkim,Miss Kim,10,\"a \"\"b\"\"\"\nlee,,,c\n")
    let text = #","alert":"%CNAME% %VAR1% %VAR3%","variables":{"VAR1":"none"}"#
    let body = #"{"appId":"\#(World.appID)","audience":{"csv":\#(csv)}\#(text)"#
    let dry = try admin(world, "POST", "/v1/admin/messages", body + #","dryRun":true}"#)
    #expect(dry.text.contains(#"Miss Kim 10 a \"b\""#), "\(dry.text)")
    let sent = try admin(world, "POST", "/v1/admin/messages", body + "}")
    let seqno = try #require(sent.string("seqno"), "\(sent.text)")
    #expect(try world.finished(seqno).int("accepted") == 2)
    // A name that the line lacks is the user's own; a value that it lacks is the message's.
    let own = try bodies(world, Self.tokens[1])
    #expect(try bodies(world, Self.tokens[0]) == [#"Miss Kim 10 a "b""#])
    #expect(own.count == 1 && own[0].hasSuffix(" none c") && !own[0].contains("%"), "\(own)")
    let again = try world.control("resend", seqno, #"{"to":"not-read"}"#)
    _ = try world.finished(try #require(again.string("seqno"), "\(again.text)"))
    #expect(try bodies(world, Self.tokens[0]).count == 2 && Set(try bodies(world, Self.tokens[0])).count == 1)
    #expect(Set(try bodies(world, Self.tokens[1])) == Set(own))
  }

  @Test func `a line too long for the payload refuses the send, and names its user`() throws {
    let world = try world()
    let long = String(repeating: "x", count: 1000)
    let csv = try upload(world, "kim,,short\nlee,,\(long)\n")
    func send(_ times: Int) throws -> Reply {
      let text = String(repeating: "%VAR1%", count: times)
      return try admin(
        world, "POST", "/v1/admin/messages",
        #"{"appId":"\#(World.appID)","audience":{"csv":\#(csv)},"alert":"\#(text)"}"#)
    }
    let refused = try send(4)
    #expect(refused.status == 422 && refused.string("type") == "upmc:payload-too-large", "\(refused.text)")
    #expect(refused.text.contains("lee"), "\(refused.text)")
    #expect(try send(3).status == 202)
  }

  @Test func `the same file is the same audience, and the same request under its key the same message`() throws {
    let world = try world()
    let first = try upload(world, "kim\nlee\n")
    #expect(try upload(world, "kim\nlee\n") == first)
    #expect(try upload(world, "kim\n") != first)
  }

  @Test func `a repeated send is answered the same when its segment is gone`() throws {
    let world = try world()
    let made = try admin(
      world, "POST", "/v1/admin/segments",
      #"{"appId":"\#(World.appID)","name":"all","conditions":{"member":true}}"#)
    let segment = try #require(made.string("segmentId"))
    func send() throws -> Reply {
      try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey, idempotencyKey: "once",
        #"{"appId":"\#(World.appID)","audience":{"segment":\#(segment)},"alert":"x"}"#)
    }
    let first = try send()
    #expect(first.status == 202, "\(first.text)")
    #expect(try admin(world, "DELETE", "/v1/admin/segments/\(segment)").status == 204)
    #expect(try send().text == first.text)
  }
}
