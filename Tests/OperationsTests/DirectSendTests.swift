import Crypto
import Domain
import Postgres
import Store
import Synchronization
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct DirectSendTests {
  private let caller = Caller(role: .sender, app: nil, apiKey: nil)

  private func send(
    _ world: BatchWorld, _ users: String, _ more: String = "", key: String? = nil, caller: Caller? = nil
  ) throws -> DirectSend? {
    let catalog = try Catalog(seal: ContentSeal([SymmetricKey.random()]))
    try catalog.refresh(world.connection)
    let body = #"{"appId":"com.example.bank","audience":{"clientUids":[\#(users)]},"alert":"%CNAME%"\#(more)}"#
    return DirectSend(
      body: Array(body.utf8), idempotencyKey: key, caller: caller ?? self.caller, catalog: catalog)
  }

  private func operation(
    _ world: BatchWorld, _ users: String, _ more: String = "", key: String? = nil
  ) throws -> Operation {
    .send(try #require(try send(world, users, more, key: key)))
  }

  @Test func `a send is stored with its audience and claimed in one batch`() throws {
    let world = try BatchWorld()
    try world.run(
      world.registration("d1", psid: "aa", user: "kim"), world.registration("d2", psid: "bb", user: "kim"))
    let sent = try #require(try world.run(operation(world, #""kim","nobody""#))[0].sent)
    #expect(sent.accepted.targeted == 2 && String(decoding: sent.accepted.unknown, as: UTF8.self) == #"["nobody"]"#)
    let claimed = try #require(sent.claimed)
    #expect(claimed.members.map(\.psid).sorted() == ["aa", "bb"])
    #expect(claimed.names == [UserKey(clientUID: "kim"): "Name of kim"])
    #expect(try world.count("SELECT count(*) FROM messages WHERE planned AND state = 2 AND targeted = 2") == 1)
    #expect(
      try world.count("SELECT cardinality(devices)::bigint FROM claims WHERE claim = \(claimed.claim.claim)") == 2)
    let stored = try #require(try world.connection.run(Messages.find(sent.accepted.seqno)))
    #expect(stored.sendDate == claimed.message.sendDate && stored.expiresAt == claimed.message.expiresAt)
  }

  @Test func `a send to an app that was paused a moment ago is stored, and waits`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    // The catalog has not heard of it yet.
    let first = try operation(world, #""kim""#)
    try world.connection.run(AppPauses.pause(world.app.number, reason: "a flood"))
    let held = try #require(try world.run(first)[0].sent?.claimed)
    #expect(held.isHeld && held.members.count == 1)
    try world.connection.run(AppPauses.resume(world.app.number))
    #expect(try world.run(operation(world, #""kim""#))[0].sent?.claimed?.isHeld == false)
  }

  @Test func `badges of sends in one batch move one after the other, once for all devices of a user`() throws {
    let world = try BatchWorld()
    try world.run(
      world.registration("d1", psid: "aa", user: "kim"), world.registration("d2", psid: "bb", user: "kim"))
    let more = #","badge":{"increment":1}"#
    let results = try world.run(
      operation(world, #""kim""#, more), operation(world, #""kim""#, more), operation(world, #""kim""#))
    let kim = UserKey(clientUID: "kim")
    #expect(results.map { $0.sent?.claimed?.badges[kim] } == [1, 2, nil])
    #expect(try world.badge("kim") == 2)
    #expect(try world.count("SELECT sum(deliveries)::bigint FROM badge_ledger") == 4)
  }

  @Test func `a key is good for one message: the same body is answered the same, another one refused`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let together = try world.run(
      operation(world, #""kim""#, key: "k"), operation(world, #""kim""#, key: "k"),
      operation(world, #""kim","lee""#, key: "k"))
    let later = try world.run(operation(world, #""kim""#, key: "k"))
    let first = try #require(together[0].sent)
    #expect(first.claimed != nil)
    for repeated in [together[1], later[0]] {
      #expect(repeated.sent?.accepted == first.accepted && repeated.sent?.claimed == nil)
    }
    #expect(together[2].problem == .idempotencyConflict)
    #expect(try world.count("SELECT count(*) FROM messages") == 1)
  }

  @Test func `a batch whose commit was not heard of stores nothing twice when it is repeated`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let sameSend = try operation(world, #""kim""#, #","badge":{"increment":1}"#)
    let first = try #require(try world.run(sameSend)[0].sent)
    let again = try #require(try world.run(sameSend)[0].sent)
    // Nobody has launched it, so this attempt does: the same claim, the count that the first has made.
    #expect(again.accepted == first.accepted && again.claimed?.claim == first.claimed?.claim)
    #expect(again.claimed?.members.map(\.device) == [world.device("d1")])
    #expect(again.claimed?.badges == [UserKey(clientUID: "kim"): 1])
    #expect(try world.count("SELECT count(*) FROM messages") == 1)
    #expect(try world.count("SELECT count(*) FROM claims") == 1)
    #expect(try world.badge("kim") == 1)
  }

  @Test func `sends with and without a key, first and repeated ones, share a batch`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let sends = try [
      operation(world, #""kim""#), operation(world, #""kim""#, key: "k"), operation(world, #""kim""#, key: "k"),
      operation(world, #""nobody""#),
    ]
    let first = try world.runAll(sends).map { try #require($0.sent) }
    let numbers = first.map { $0.accepted.seqno }
    #expect(Set(numbers).count == 3 && numbers[1] == numbers[2])
    #expect(first.map { $0.claimed != nil } == [true, true, false, false])
    // The commit was not heard of. Others join the next attempt.
    let joining = try [operation(world, #""kim""#), operation(world, #""kim""#, key: "new")]
    let again = try world.runAll(sends + joining).map { try #require($0.sent) }
    #expect(again.prefix(4).map { $0.accepted.seqno } == numbers)
    for (old, new) in zip(first, again) { #expect(old.claimed?.claim == new.claimed?.claim) }
    #expect(again.suffix(2).allSatisfy { $0.claimed != nil })
    #expect(try world.count("SELECT count(*) FROM messages") == 5)
    #expect(try world.count("SELECT count(*) FROM claims") == 4)
  }

  /// A send that was under way when the database crashed: nothing of it was committed, and its number is forgotten.
  private func crashedSend(_ world: BatchWorld) throws -> Operation {
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let send = try operation(world, #""kim""#)
    try world.run(send)
    try world.connection.script(
      "DELETE FROM claims; DELETE FROM messages; SELECT setval('messages_seqno_seq', 1, false)")
    return send
  }

  @Test func `after a crash nobody else gets the number of a repeated send`() throws {
    let world = try BatchWorld()
    let send = try crashedSend(world)
    #expect(try world.run(send)[0].sent?.accepted.seqno == Seqno(1))
    #expect(try world.run(operation(world, #""kim""#))[0].sent?.accepted.seqno == Seqno(2))
    #expect(try world.count("SELECT count(*) FROM messages") == 2)
  }

  @Test func `a new number that another message has is a fault after which the next number is tried`() throws {
    let world = try BatchWorld()
    try world.run(operation(world, #""nobody""#))
    try world.connection.script("SELECT setval('messages_seqno_seq', 1, false)")
    let fault = try #require(throws: PostgresError.self) { try world.run(operation(world, #""nobody""#)) }
    #expect(fault.isTakenSeqno)
  }

  @Test func `a repeated send whose number went to another message is not taken for that one`() throws {
    let world = try BatchWorld()
    let send = try crashedSend(world)
    world.now += .microseconds(1)
    let other = try #require(try world.run(operation(world, #""kim""#))[0].sent)
    #expect(other.accepted.seqno == Seqno(1))
    // Its own time tells it from the other message.
    world.now += .microseconds(1)
    #expect(try world.run(send)[0].problem == .busy)
    // With the next number it is stored.
    guard case .send(let direct) = send else { return }
    direct.takeBackNumber()
    let stored = try #require(try world.run(send)[0].sent)
    #expect(stored.accepted.seqno == Seqno(2) && stored.claimed != nil)
    #expect(try world.count("SELECT count(*) FROM messages") == 2)
  }

  @Test func `repeated after its claim was given up, or where its user has other devices by now, it launches nothing`()
    throws
  {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let first = try operation(world, #""kim""#)
    try world.run(first)
    let second = try operation(world, #""kim""#)
    try world.run(second)
    try world.connection.script("UPDATE claims SET fence = 1 WHERE seqno = 1")
    try world.run(world.registration("d2", psid: "bb", user: "kim"))
    for send in [first, second] { #expect(try world.run(send)[0].sent?.claimed == nil) }
  }

  @Test func `a send reaches only who is spelled like that, byte for byte`() throws {
    let world = try BatchWorld()
    try world.run(
      world.registration("d1", psid: "aa", user: "jos\u{E9}"), world.registration("d2", psid: "bb", user: "jose\u{301}")
    )
    let results = try world.run(operation(world, #""jos\u00e9""#), operation(world, #""jose\u0301""#))
    #expect(results.map { $0.sent?.claimed?.members.map(\.psid) } == [["aa"], ["bb"]])
  }

  @Test func `a send to nobody is complete at once`() throws {
    let world = try BatchWorld()
    let sent = try #require(try world.run(operation(world, #""nobody""#))[0].sent)
    #expect(sent.accepted.targeted == 0 && sent.claimed == nil)
    #expect(try world.count("SELECT count(*) FROM messages WHERE state = 4 AND finished_at IS NOT NULL") == 1)
  }

  @Test func `a payload too large for somebody's name is refused alone and leaves nothing`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let large = #","data":{"k":"\#(String(repeating: "x", count: 3900))"}"#
    let results = try world.run(operation(world, #""kim""#, large), operation(world, #""kim""#))
    #expect(results[0].problem == .payloadTooLarge)
    #expect(results[1].sent?.claimed != nil)
    #expect(try world.count("SELECT count(*) FROM messages") == 1)
  }

  @Test func `what is unusual is left to the other way`() throws {
    let world = try BatchWorld()
    #expect(try send(world, #""kim""#) != nil)
    #expect(try send(world, #""kim""#, #","dryRun":true"#) == nil)
    #expect(try send(world, #""kim""#, #","colour":"red""#) == nil)
    #expect(try send(world, #""kim""#, key: "") == nil)
    #expect(try send(world, #""kim""#, caller: Caller(role: .viewer, app: nil, apiKey: nil)) == nil)
    #expect(try send(world, #""kim""#, caller: Caller(role: .sender, app: world.app.number + 1, apiKey: nil)) == nil)
    let many = (0...Operations.Limits.namedUsers).map { "\"u\($0)\"" }.joined(separator: ",")
    #expect(try send(world, many) == nil)
    try world.connection.script("UPDATE apps SET paused_reason = 'held back'")
    #expect(try send(world, #""kim""#) == nil)
  }
}

extension Result where Success == OperationAnswer, Failure == Problem {
  fileprivate var sent: (accepted: SendAnswer.Accepted, claimed: ClaimedSend?)? {
    if case .success(.sent(let accepted, let claimed)) = self { (accepted, claimed) } else { nil }
  }
}
