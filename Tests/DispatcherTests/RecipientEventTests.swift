import Foundation
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

/// Who received, who read, and whom it could not reach: each is told once, whatever ends in the middle.
@Suite struct RecipientEventTests {
  private struct Killed: Error {}

  private func user(_ number: Int) -> String { String(String(100_000_000 + number).dropFirst()) }

  private func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  /// A message to everybody whose deliveries are in blocks, and nobody left who would fold by himself.
  private func campaign(_ devices: Int, _ kinds: [EventKind]) throws -> (world: DispatcherWorld, seqno: Seqno) {
    let world = try DispatcherWorld()
    if !kinds.isEmpty { try world.hear(kinds) }
    try world.makeDevices(1..<1 + devices)
    try addTokens(world)
    let seqno = try world.send(#"{"all":true}"#, #","reference":{"key":"order-7"}"#)
    _ = try world.finished(seqno)
    world.stop()
    return (world, seqno)
  }

  private func addTokens(_ world: DispatcherWorld) throws {
    try world.connection.script(
      """
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, psid, network, 1, device, bound_at FROM devices
      """)
  }

  private func confirm(_ world: DispatcherWorld, _ seqno: Seqno, _ numbers: [Int], read: BadgeOption? = nil) throws {
    let confirmations = try numbers.map { number in
      let rows = try world.connection.run(
        Statement("place of \(number)", "SELECT block, place FROM block_entries_of(\(seqno), 'u\(user(number))')"))
      let place =
        rows.count == 1
        ? BlockPlace(block: BlockID(seqno: seqno, number: rows.int32(0, 0)), position: Int(rows.int32(0, 1))) : nil
      return Operation.Confirmation(
        seqno: seqno, psid: token(number), read: read, isGenuine: true, place: place?.coordinates(hasFallback: false),
        at: nil)
    }
    let clock = SystemClock()
    let batch = OperationBatch(
      [.confirm(confirmations)], writer: 7, node: UUIDValue(high: 9, low: 9), policies: AppPolicies([]),
      now: clock.wallTime, readAt: clock.now)
    try batch.run(on: world.connection)
  }

  private func fold(_ world: DispatcherWorld, _ seqno: Seqno) throws {
    _ = try world.connection.transaction(attempts: 1) { () throws(PostgresError) in
      try ConfirmationFold.step(of: seqno, after: 0, atMost: 100, writer: 8, on: world.connection)
    }
  }

  /// Tells one page of the failures. Returns false if none is left. Call this within a transaction.
  private func tellFailures(_ world: DispatcherWorld) throws -> Bool {
    guard let report = try world.connection.run(FailureReports.take()) else { return false }
    try FailureReports.tell(report, on: world.connection)
    return true
  }

  /// CUIDs that events of a kind have named, each as often as it was, in order; and how many were in each.
  private func told(_ world: DispatcherWorld, _ kind: EventKind) throws -> (users: [String], sizes: [Int]) {
    let rows = try world.connection.run(
      Statement(
        "told \(kind.rawValue)",
        """
        SELECT e.data::text FROM events e JOIN event_deliveries d ON d.event = e.event
        WHERE e.event_kind = '\(kind.rawValue)' ORDER BY e.event
        """))
    var (users, sizes): ([String], [Int]) = ([], [])
    for row in 0..<rows.count {
      let data = try JSONSerialization.jsonObject(with: Data(rows.bytes(row, 0))) as? [String: Any]
      let recipients = try #require(data?["recipients"] as? [[String: Any]])
      sizes.append(recipients.count)
      users += recipients.map { $0["clientUid"] as? String ?? "nobody" }
    }
    return (users.sorted(), sizes)
  }

  @Test func `a confirmation in a block is told once, however often it is repeated or folded`() throws {
    let (world, seqno) = try campaign(40, [.deliveriesReceived, .deliveriesRead])
    try confirm(world, seqno, [1, 2, 3, 3])
    try confirm(world, seqno, [3, 4], read: .keep)
    // A process that is killed in the middle has told nothing.
    #expect(throws: Killed.self) {
      try world.connection.withTransaction {
        _ = try ConfirmationFold.step(of: seqno, after: 0, atMost: 100, writer: 8, on: world.connection)
        throw Killed()
      }
    }
    #expect(try told(world, .deliveriesReceived).users.isEmpty)
    try fold(world, seqno)
    try confirm(world, seqno, [1, 4, 5])
    try fold(world, seqno)
    #expect(try told(world, .deliveriesReceived).users == [1, 2, 3, 4, 5].map(user))
    #expect(try told(world, .deliveriesRead).users == [3, 4].map(user))
    let due = try world.connection.run(ConfirmationFold.due(ConfirmationFold.Thresholds()))
    #expect(due.isEmpty)
  }

  @Test func `no event has more than 500 recipients`() throws {
    let (world, seqno) = try campaign(1_100, [.deliveriesReceived])
    try confirm(world, seqno, Array(1...1_100))
    try fold(world, seqno)
    let told = try told(world, .deliveriesReceived)
    #expect(told.sizes.sorted() == [100, 500, 500])
    #expect(told.users == (1...1_100).map(user).sorted())
  }

  @Test func `whoever is being erased is not named, although the block still has the name`() throws {
    let (world, seqno) = try campaign(40, [.deliveriesReceived])
    try confirm(world, seqno, [1, 2])
    try world.connection.script(
      "INSERT INTO erasures (app, user_key, upto_seqno) SELECT app, 'u\(user(1))', seqno FROM messages")
    try fold(world, seqno)
    #expect(try told(world, .deliveriesReceived).users == [user(2), "nobody"])
  }

  @Test func `what somebody asks for is folded within seconds, and nothing else is`() throws {
    for (kinds, isDue) in [([EventKind.deliveriesRead], true), ([.messageFinished], false)] {
      let (world, seqno) = try campaign(40, kinds)
      try confirm(world, seqno, [1])
      try world.connection.script("UPDATE confirmation_log SET logged_at = logged_at - interval '6 seconds'")
      #expect(try world.connection.run(ConfirmationFold.due(ConfirmationFold.Thresholds())) == (isDue ? [seqno] : []))
    }
  }

  @Test func `a confirmation outside of blocks is told in its own commit, once`() throws {
    let world = try DispatcherWorld()
    try world.hear([.deliveriesReceived, .deliveriesRead])
    try world.makeDevices(1..<4)
    try addTokens(world)
    let seqno = try world.send(#"{"clientUids":["\#(user(1))","\#(user(2))"]}"#)
    _ = try world.finished(seqno)
    world.stop()
    try confirm(world, seqno, [1, 1])
    try confirm(world, seqno, [1, 2], read: .keep)
    try confirm(world, seqno, [2], read: .keep)
    #expect(try told(world, .deliveriesReceived).users == [1, 2].map(user))
    #expect(try told(world, .deliveriesRead).users == [1, 2].map(user))
  }

  @Test func `whom a message did not reach is told when it ends, page by page, and once`() throws {
    let world = try DispatcherWorld { _, target, _ in
      DispatcherWorld.number(target) <= 700
        ? .badToken(reason: "Unregistered", since: Timestamp(milliseconds: 4_000_000_000_000)) : .accepted
    }
    try world.hear([.deliveriesFailed])
    try world.makeDevices(1..<901)
    let seqno = try world.send()
    _ = try world.finished(seqno)
    world.stop()
    #expect(throws: Killed.self) {
      try world.connection.withTransaction {
        #expect(try tellFailures(world))
        throw Killed()
      }
    }
    #expect(try told(world, .deliveriesFailed).users.isEmpty)
    while try world.connection.withTransaction({ try tellFailures(world) }) {}
    let told = try told(world, .deliveriesFailed)
    #expect(told.users == (1...700).map(user).sorted() && told.sizes == [500, 200])
    #expect(try world.count("failure_reports") == 0)
  }

  @Test func `a message that is reopened tells at its next end what failed since`() throws {
    let bad = SubmissionResult.badToken(reason: "BadDeviceToken", since: nil)
    let world = try DispatcherWorld { _, _, _ in bad }
    try world.hear([.deliveriesFailed])
    try world.makeDevices(1..<91)
    let first = try world.finished(try world.send()).funnel.seqno
    while try world.connection.withTransaction({ try tellFailures(world) }) {}
    #expect(try told(world, .deliveriesFailed).users == (1...90).map(user))
    try world.makeDevices(100..<130)
    _ = try world.send(
      #"{"devices":[\#((100..<130).map { "\"\(DispatcherWorld.device($0))\"" }.joined(separator: ","))]}"#)
    _ = try world.paused()
    world.network.answer { _, target, _ in
      DispatcherWorld.number(target) == 7 ? .rejected(reason: "BadTopic") : .accepted
    }
    try world.resume()
    _ = try world.finished(first)
    while try world.connection.withTransaction({ try tellFailures(world) }) {}
    #expect(try told(world, .deliveriesFailed).users == ((1...90).map(user) + [user(7)]).sorted())
  }

  @Test func `without a webhook that asks nothing is written`() throws {
    let world = try DispatcherWorld { _, target, _ in
      DispatcherWorld.number(target) < 3
        ? .badToken(reason: "Unregistered", since: Timestamp(milliseconds: 4_000_000_000_000)) : .accepted
    }
    try world.hear([.messageFinished])
    try world.makeDevices(1..<41)
    let seqno = try world.send()
    _ = try world.finished(seqno)
    world.stop()
    try confirm(world, seqno, [5, 6], read: .keep)
    try fold(world, seqno)
    #expect(try world.count("failure_reports") == 0)
    #expect(try world.count("events WHERE event_kind LIKE 'deliveries.%'") == 0)
  }

  @Test func `an erased person is not named in what waits, and what is told is deleted`() throws {
    let (world, seqno) = try campaign(40, [.deliveriesReceived])
    try confirm(world, seqno, [1, 2])
    try fold(world, seqno)
    _ = try world.connection.withTransaction {
      try PersonErasure.erase(
        Users.Key(app: world.app, userKey: UserKey(clientUID: user(1))), on: world.connection)
    }
    #expect(try told(world, .deliveriesReceived).users == [user(2), "nobody"])
    try world.connection.script("UPDATE events SET at = at - interval '2 hours'")
    func prune() throws { for query in Retention.prune(atMost: 100) { _ = try world.connection.run(query) } }
    try prune()
    #expect(try world.count("events") == 1)
    try world.connection.script("UPDATE event_deliveries SET state = 1, ended_at = now()")
    try prune()
    #expect(try world.count("events") == 0 && world.count("event_deliveries") == 0)
  }
  @Test func `erased persons are removed from any number of waiting events, page by page`() throws {
    let world = try DispatcherWorld()
    world.stop()
    // Each event names both of them, and a person who stays.
    try world.connection.script(
      """
      INSERT INTO users (app, user_key) SELECT \(world.app), 'u' || unnest('{kim,lee}'::text[]);
      INSERT INTO events (app, event_kind, at, data)
      SELECT \(world.app), 'deliveries.received', now(), '{"seqno":"1","reference":null,"recipients":[
        {"clientUid":"kim"},{"clientUid":"lee"},{"clientUid":"park"}]}' FROM generate_series(1, 1201)
      """)
    for uid in ["kim", "lee"] {
      _ = try world.connection.withTransaction {
        try PersonErasure.erase(Users.Key(app: world.app, userKey: UserKey(clientUID: uid)), on: world.connection)
      }
    }
    func naming(_ uid: String) throws -> Int64 { try world.count("events WHERE data::text LIKE '%\(uid)%'") }
    // An erasure itself searches only one page.
    #expect(try naming("kim") == 701 && naming("lee") == 701)
    var steps = 0
    while try world.connection.withTransaction({ try RecipientEvents.forgetNext(on: world.connection) }) { steps += 1 }
    #expect(steps == 2)
    #expect(try naming("kim") == 0 && naming("lee") == 0 && naming("park") == 1_201)
    #expect(try world.count("event_erasures") == 0)
  }
}
