import Foundation
import Postgres
import Simulator
import Testing

/// Sending a message once more to those it has not reached.
@Suite(.serialized) struct ResendTests {
  private static let tokens = ["a1", "b2", "c3", "d4"].map { World.token($0) }

  /// Four users, and a message: kim's is read, lee's only received, min's accepted, park's refused.
  private func populated() throws -> (World, String) {
    let world = try World()
    for (user, token) in zip(["kim", "lee", "min", "park"], Self.tokens) {
      try world.register("of-\(user)", token: token, user: user)
    }
    var fault = Fault(.answer)
    fault.reason = "BadCollapseId"
    fault.tokenPrefix = "d4"
    try world.simulator.add(fault)
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1},"dbIn":false"#)
    let funnel = try world.finished(seqno)
    #expect(funnel.int("accepted") == 3 && funnel.int("rejected") == 1, "\(funnel.text)")
    #expect(try world.read(seqno, Self.tokens[0]).result["status"] as? String == "recorded")
    #expect(try world.receipt(seqno, Self.tokens[1]).result["status"] as? String == "recorded")
    world.simulator.removeFaults()
    return (world, seqno)
  }

  /// SEQNOs that each token received.
  private func received(_ world: World) throws -> [[String]] {
    try Self.tokens.map { token in
      try world.payloads(token).compactMap { ($0["mps"] as? [String: Any])?["seqno"] as? String }
    }
  }

  @Test func `not read, not received and failed each reach exactly theirs`() throws {
    let (world, old) = try populated()
    for (target, expected) in [("not-read", [1, 2]), ("not-received", [2]), ("failed", [3])] {
      let reply = try world.control("resend", old, "{\"to\":\"\(target)\"}")
      #expect(reply.status == 202 && reply.int("targeted") == expected.count, "\(target): \(reply.text)")
      #expect(reply.string("resendOf") == old)
      let seqno = try #require(reply.string("seqno"))
      #expect(seqno != old)
      let ended = try world.finishedExactly(seqno)
      #expect(ended.int("accepted") == expected.count && ended.string("resendOf") == old, "\(ended.text)")
      let got = try received(world).enumerated().filter { $0.element.contains(seqno) }.map(\.offset)
      #expect(got == expected, "\(target)")
    }
    // park's first one was taken back, the second counts.
    #expect(try world.badges(Self.tokens[3]) == [1])
    #expect(try world.badges(Self.tokens[2]) == [1, 2, 3])
  }

  @Test func `devices are read anew: who has left, or belongs to another, gets nothing`() throws {
    let (world, old) = try populated()
    try world.register("of-lee", token: Self.tokens[1], user: "choi")
    try world.register("of-min", token: World.token("e5"), user: "min", authKey: try world.firstKey(of: "of-min"))
    let reply = try world.control("resend", old, #"{"to":"not-read"}"#)
    let ended = try world.finishedExactly(try #require(reply.string("seqno")))
    #expect(ended.int("targeted") == 1 && ended.int("accepted") == 1)
    #expect(try world.payloads(World.token("e5")).count == 1)
    #expect(try received(world)[1].count == 1)
    #expect(try received(world)[0].count == 1)
  }

  @Test func `the same key makes one message, another target under it is a conflict`() throws {
    let (world, old) = try populated()
    func resend(_ body: String) throws -> Reply {
      try world.client.call(
        "POST", "/v1/admin/messages/\(old)/resend", bearer: world.apiKey, idempotencyKey: "again", body)
    }
    let first = try resend(#"{"to":"not-read"}"#)
    #expect(try resend(#"{"to":"not-read"}"#).text == first.text)
    #expect(try resend(#"{"to":"failed"}"#).status == 409)
    #expect(try world.count("SELECT count(*) FROM messages") == 2)
    // Both were sent with `dbIn` false.
    #expect(try world.count("SELECT count(*) FROM messages WHERE keeps_history") == 0)
    for wrong in ["{}", #"{"to":"all"}"#, #"{"to":"failed","x":1}"#] {
      #expect(try world.control("resend", old, wrong).status == 400, "\(wrong)")
    }
  }

  @Test func `a message that has not ended is not sent again`() throws {
    let (world, _) = try populated()
    let seqno = try world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    let reply = try world.control("resend", seqno, #"{"to":"failed"}"#)
    #expect(reply.status == 409 && reply.text.contains("Wait until it has ended"), "\(reply.text)")
    _ = try world.control("cancel", seqno)
    // The call waits a moment for the push that is under way, and is answered without it then.
    _ = try world.finished(seqno)
    #expect(try world.control("resend", seqno, #"{"to":"failed"}"#).status == 202)
  }
}
