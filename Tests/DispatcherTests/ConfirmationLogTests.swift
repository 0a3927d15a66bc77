import Crypto
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

/// Receipts of campaigns go into a log and are folded into blocks later: nobody who asks can tell the difference.
@Suite struct ConfirmationLogTests {
  private static let devices = 40
  private let world: DispatcherWorld
  private let seqno: Seqno

  init() throws {
    world = try DispatcherWorld { _, target, attempt in
      // The 8th is accepted at the second try: it has a row besides.
      DispatcherWorld.number(target) == 8 && attempt == 1
        ? .retry(reason: "InternalServerError", after: nil) : .accepted
    }
    try world.makeDevices(1..<1 + Self.devices)
    try world.connection.script(
      """
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, psid, network, 1, device, bound_at FROM devices
      """)
    seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    _ = try world.finished(seqno)
  }

  // MARK: Doing

  private func user(_ number: Int) -> UserKey {
    UserKey(clientUID: String(String(100_000_000 + number).dropFirst()))
  }

  private func token(_ number: Int) -> String {
    String(repeating: "0", count: 62) + (number < 16 ? "0" : "") + String(number, radix: 16)
  }

  private func place(_ number: Int) throws -> BlockPlace {
    let rows = try world.connection.run(
      Statement("place of \(number)", "SELECT block, place FROM block_entries_of(\(seqno), '\(user(number).text)')"))
    return BlockPlace(block: BlockID(seqno: seqno, number: rows.int32(0, 0)), position: Int(rows.int32(0, 1)))
  }

  /// Confirms for devices, in one batch.
  @discardableResult
  private func confirm(
    _ numbers: [Int], read: BadgeOption? = nil, saysWhere: Bool = true, hasFallback: Bool = false, at: Timestamp? = nil
  ) throws -> [OperationAnswer.Confirmed] {
    let confirmations = try numbers.map { number in
      Operation.Confirmation(
        seqno: seqno, psid: token(number), read: read, isGenuine: true,
        place: saysWhere ? try place(number).coordinates(hasFallback: hasFallback) : nil, at: at)
    }
    return try confirm(confirmations)
  }

  @discardableResult
  private func confirm(_ confirmations: [Operation.Confirmation]) throws -> [OperationAnswer.Confirmed] {
    let clock = SystemClock()
    let batch = OperationBatch(
      [.confirm(confirmations)], writer: 7, node: UUIDValue(high: 9, low: 9), policies: AppPolicies([]),
      now: clock.wallTime, readAt: clock.now)
    try batch.run(on: world.connection)
    guard case .success(.confirmed(let results)) = batch.results[0] else { return [] }
    return results
  }

  @discardableResult
  private func fold(atMost rows: Int = 100, entries: Int = ConfirmationFold.mostEntries) throws -> Int? {
    try world.connection.transaction(attempts: 1) { () throws(PostgresError) in
      try ConfirmationFold.step(of: seqno, after: 0, atMost: rows, entries: entries, writer: 8, on: world.connection)?
        .rows
    }
  }

  private func totals() throws -> [Int64] {
    let funnel = try world.funnel(seqno).funnel
    return [funnel.received, funnel.read]
  }

  /// All that anybody is told of one delivery: when it was received, and read.
  private func told(_ number: Int) throws -> [[Timestamp?]] {
    let (device, user) = (DispatcherWorld.device(number), user(number))
    let explained = try world.connection.run(
      Explanations.deliveries(seqno, of: user, on: [device], searching: false))
    let listed = try world.connection.run(
      PersonMessages.deliveries(of: [seqno], for: Users.Key(app: world.app, userKey: user), on: [device]))
    let pages = try DeliveryPages.next(of: seqno, after: .start, limit: 1_000, on: world.connection)
    let page = try #require(pages.first { $0.device == device })
    var views: [Timestamp?] = []
    for view in ["receipts", "reads"] {
      let rows = try world.connection.run(
        Statement("\(view) of \(number)", "SELECT at FROM \(view) WHERE seqno = \(seqno) AND device = '\(device)'"))
      views.append(rows.count == 1 ? rows.timestamp(0, 0) : nil)
    }
    return [
      [explained[0].receivedAt, explained[0].readAt],
      [listed[seqno]?[0].receivedAt, listed[seqno]?[0].readAt],
      [page.receivedAt, page.readAt], views,
    ]
  }

  // MARK: What is told

  @Test func `each receipt of a batch is answered for its own message`() throws {
    let place = try place(1).coordinates(hasFallback: false)
    let unknown = Seqno(999_999)
    let receipts = [seqno, unknown, seqno, seqno, unknown].map { seqno in
      Operation.Confirmation(seqno: seqno, psid: token(1), read: nil, isGenuine: true, place: place)
    }
    var operations: [Operation] = receipts.map { receipt in .confirm([receipt]) }
    operations.append(.confirm(receipts))
    let clock = SystemClock()
    let batch = OperationBatch(
      operations, writer: 7, node: UUIDValue(high: 9, low: 9), policies: AppPolicies([]), now: clock.wallTime,
      readAt: clock.now)
    try batch.run(on: world.connection)
    var answers: [[OperationAnswer.Confirmed]] = []
    for case .success(.confirmed(let results)) in batch.results { answers.append(results) }
    #expect(answers.map { $0.map(\.seqno) } == receipts.map { [$0.seqno] } + [receipts.map(\.seqno)])
    let statuses: [OperationAnswer.Confirmed.Status] = [
      .recorded, .unknownMessage, .recorded, .recorded, .unknownMessage,
    ]
    #expect(answers.map { $0.map(\.status) } == statuses.map { [$0] } + [statuses])
  }

  @Test(arguments: [8, 9]) func `whoever asks hears the same before it is folded and after`(number: Int) throws {
    #expect(try confirm([number]).map(\.status) == [.recorded])
    #expect(try world.count("confirmation_log") == 1)
    let before = try told(number)
    #expect(before.allSatisfy { $0 == before[0] } && before[0][0] != nil && before[0][1] == nil)
    #expect(try totals() == [1, 0])
    #expect(try fold() == 1)
    #expect(try world.count("confirmation_log") == 0)
    #expect(try told(number) == before)
    #expect(try totals() == [1, 0])
    #expect(try confirm([number], read: .keep).map(\.status) == [.recorded])
    let read = try told(number)
    #expect(read.allSatisfy { $0 == read[0] } && read[0][0] == before[0][0] && read[0][1] != nil)
    #expect(try totals() == [1, 1])
    try fold()
    #expect(try told(number) == read && totals() == [1, 1])
    #expect(try told(10)[0] == [nil, nil])
    #expect(try world.count("row_receipts") == 0 && world.count("row_reads") == 0)
  }

  @Test func `when it was is kept to the minute since the send, and never before it`() throws {
    let sent = try world.funnel(seqno).funnel.createdAt
    try world.connection.script("UPDATE messages SET created_at = created_at - interval '3 days'")
    let start = sent - .seconds(3 * 86_400)
    for (number, given, kept) in [
      (1, start - .seconds(7_000), start), (2, start + .seconds(59), start),
      (3, start + .seconds(121), start + .seconds(120)),
    ] {
      try confirm([number], at: given)
      for _ in 1...2 {
        #expect(try told(number)[0][0] == kept, "\(number)")
        try fold()
      }
    }
  }

  @Test func `however often it is repeated it counts once, and the first word stands`() throws {
    let sent = try world.funnel(seqno).funnel.createdAt
    try world.connection.script("UPDATE messages SET created_at = created_at - interval '1 day'")
    try confirm([1, 1, 2], at: sent - .seconds(3_600))
    let first = try told(1)[0]
    try confirm([1], at: sent - .seconds(7_200))
    #expect(try told(1)[0] == first && totals() == [2, 0])
    try fold(atMost: 1)
    #expect(try totals() == [2, 0] && world.count("confirmation_log") == 1)
    try fold()
    try confirm([1, 2, 3], at: sent)
    #expect(try told(1)[0] == first && totals() == [3, 0])
    try fold()
    #expect(try told(1)[0] == first && totals() == [3, 0])
    #expect(try world.count("statistics_minutes WHERE received > 0") > 0)
    let counted = try world.connection.run(
      Statement("counted", "SELECT sum(received)::bigint FROM statistics_minutes")
    ).int64(0, 0)
    #expect(counted == 3)
  }

  @Test func `without a word where it stands it is found there all the same`() throws {
    #expect(try confirm([4, 8], saysWhere: false).map(\.status) == [.recorded, .recorded])
    #expect(try confirm([4, 8], read: .keep, saysWhere: false).map(\.badge) == [0, 0])
    try confirm([4, 8])
    #expect(try totals() == [2, 2] && world.count("row_receipts") == 0)
    // A device that belongs to somebody else by now.
    try world.connection.script("UPDATE devices SET user_key = 'uheir' WHERE device = '\(DispatcherWorld.device(5))'")
    try confirm([5], saysWhere: false)
    try fold()
    try confirm([5])
    #expect(try totals() == [3, 2])
  }

  @Test func `what an unregistered device confirms belongs to the user that it had`() throws {
    let clock = SystemClock()
    let batch = OperationBatch(
      [.unregister(AuthKeyring.Claim(device: DispatcherWorld.device(11), epoch: 0))], writer: 7,
      node: UUIDValue(high: 9, low: 9), policies: AppPolicies([]), now: clock.wallTime, readAt: clock.now)
    try batch.run(on: world.connection)
    #expect(try world.record(11)?.state == .unregistered && world.record(11)?.userKey.isGuest == true)
    try confirm([11])
    try confirm([11], saysWhere: false)
    #expect(try totals() == [1, 0] && world.count("row_receipts") == 0)
    let counts = "users WHERE user_key = '\(user(11).text)' AND badge ="
    #expect(try world.count("\(counts) 1") == 1)
    #expect(try confirm([11], read: .keep).map(\.badge) == [0])
    #expect(try world.count("\(counts) 0") == 1 && world.count("users WHERE user_key LIKE 'g%'") == 0)
  }

  @Test func `of two devices that had the token one after the other, the pushkey says whose push was read`() throws {
    try world.connection.script(
      """
      INSERT INTO former_psids (app, psid, device, ended_at)
      SELECT app, psid, device, now() FROM psids WHERE psid = '\(token(12))';
      UPDATE psids SET device = '\(DispatcherWorld.device(13))' WHERE psid = '\(token(12))'
      """)
    func counts() throws -> [Int16] { try [12, 13].map { try world.badge(String(user($0).text.dropFirst())) } }
    #expect(try counts() == [1, 1])
    for (number, left) in [(12, [0, 1]), (13, [0, 0])] as [(Int, [Int16])] {
      let coordinates = try place(number).coordinates(hasFallback: false)
      try confirm([
        Operation.Confirmation(seqno: seqno, psid: token(12), read: .keep, isGenuine: true, place: coordinates)
      ])
      #expect(try counts() == left, "\(number)")
    }
  }

  @Test func `a pushkey of a former life of the database touches nobody else`() throws {
    let key = SymmetricKey.random()
    let place = try place(9)
    let pushkey = PushKeyring(present: key).make(
      seqno: String(seqno), psid: token(9), at: place.coordinates(hasFallback: false))
    // Restored, and claimed once more: under the same number others stand where they stood.
    let rows = try world.connection.run(Statement("contents", "SELECT devices, user_keys FROM blocks"))
    let old = BlockRecipients(devices: rows.bytes(0, 0), userKeys: rows.bytes(0, 1))
    let turned = try #require(
      BlockRecipients((0..<Self.devices).reversed().map { (device: old.device($0), userKey: old.userKey($0)) }))
    func hex(_ bytes: [UInt8]) -> String { "decode('\(Hex.encode(bytes))', 'hex')" }
    try world.connection.script(
      """
      UPDATE blocks SET devices = \(hex(turned.devices)), user_keys = \(hex(turned.userKeys));
      INSERT INTO incarnations (incarnation) VALUES (77)
      """)
    let incarnation = try world.connection.run(Incarnations.present())
    let proof = try #require(
      PushKeyring(present: key, incarnation: incarnation).proof(pushkey, seqno: String(seqno), psid: token(9)))
    #expect(incarnation == 77 && proof.coordinates == nil)
    try confirm([Operation.Confirmation(seqno: seqno, psid: token(9), read: nil, isGenuine: true)])
    for _ in 1...2 {
      #expect(try told(9)[0][0] != nil && totals() == [1, 0])
      #expect(try world.count("receipts WHERE device = '\(DispatcherWorld.device(9))'") == 1)
      try fold()
    }
  }

  @Test func `whoever has confirmed keeps its short message away in the same commit`() throws {
    try world.connection.script(
      """
      UPDATE messages SET fallback = 1;
      INSERT INTO fallbacks (seqno, app, user_key, due_at)
      SELECT \(seqno), app, user_key, now() + interval '1 hour' FROM devices
      """)
    try confirm([6], hasFallback: true)
    #expect(try world.count("fallbacks WHERE decision IS NOT NULL AND user_key = '\(user(6).text)'") == 1)
    #expect(try world.count("fallbacks WHERE decision IS NOT NULL") == 1)
    #expect(try totals() == [1, 0] && world.count("confirmation_log") == 1)
  }

  // MARK: Folding

  @Test func `what names no delivery is dropped, and holds up nobody`() throws {
    let block = try place(1).block
    let nowhere = [
      BlockPlace(block: BlockID(seqno: seqno, number: 123_456_789), position: 0),
      BlockPlace(block: block, position: Self.devices), BlockPlace(block: block, position: 2_047),
    ]
    let now = SystemClock().wallTime
    let entries = (nowhere + [try place(1)]).map { ConfirmationLog.Entry($0, isRead: true, at: now) }
    #expect(try world.connection.run(ConfirmationLog.append(entries)) == [seqno])
    #expect(try totals() == [0, 1])
    try fold()
    #expect(try totals() == [0, 1] && world.count("confirmation_log") == 0 && world.count("reads") == 1)
    #expect(try world.count("block_confirmations WHERE length(minutes) = \(2 * Self.devices)") == 1)
  }

  @Test func `a fold that is cut short has folded nothing, and rows that another is at are passed by`() throws {
    try confirm([1])
    try confirm([2])
    let other = try TestDatabase.connect(to: world.databaseURL)
    try other.script("BEGIN; SELECT FROM confirmation_log ORDER BY id LIMIT 1 FOR UPDATE")
    #expect(try fold() == 1)
    #expect(try totals() == [2, 0] && world.count("confirmation_log") == 1)
    try other.script("ROLLBACK")
    try world.connection.script("BEGIN")
    #expect(
      try ConfirmationFold.step(of: seqno, after: 0, atMost: 9, writer: 8, on: world.connection)?.rows == 1)
    try world.connection.script("ROLLBACK")
    #expect(try totals() == [2, 0] && world.count("confirmation_log") == 1)
    #expect(try fold() == 1 && fold() == nil)
    #expect(try totals() == [2, 0])
  }

  @Test func `a fold takes the log in several reads, and the blocks in portions`() throws {
    world.stop()
    let (first, second) = (try place(1), BlockID(seqno: seqno, number: 5 << 18))
    try world.connection.script(
      """
      INSERT INTO blocks (seqno, block, devices_count, first_key, devices, user_keys)
      SELECT seqno, \(second.number), devices_count, 'v', devices, user_keys FROM blocks
      """)
    let now = SystemClock().wallTime
    let entries = [first, BlockPlace(block: second, position: 3)].flatMap { place in
      [false, true].map { ConfirmationLog.Entry(place, isRead: $0, at: now) }
    }
    _ = try world.connection.run(ConfirmationLog.append(entries))
    try world.connection.script(
      """
      INSERT INTO confirmation_log (seqno, entries)
      SELECT seqno, entries FROM confirmation_log CROSS JOIN generate_series(1, 6500)
      """)
    #expect(try totals() == [2, 2])
    #expect(try fold(atMost: 2_500) == 2_500)
    #expect(try totals() == [2, 2] && world.count("confirmation_log") == 4_001)
    #expect(try world.count("block_confirmations") == 4)
    // As many as are read at once, because memory is full then.
    #expect(try fold(atMost: 10_000, entries: 1) == 2_000)
    #expect(try totals() == [2, 2] && world.count("confirmation_log") == 2_001)
    #expect(try fold(atMost: 10_000) == 2_001 && fold() == nil)
    #expect(try totals() == [2, 2] && world.count("confirmation_log") == 0)
    #expect(try world.count("block_confirmations WHERE block = \(second.number) AND get_byte(minutes, 7) > 0") == 2)
  }

  @Test func `of two nodes one folds a message, and whatever comes meanwhile waits until it is done`() throws {
    try confirm([1])
    let other = try TestDatabase.connect(to: world.databaseURL)
    try other.script("BEGIN")
    #expect(try ConfirmationFold.step(of: seqno, after: 0, atMost: 9, writer: 9, on: other)?.rows == 1)
    try confirm([2])
    // It waits for nobody, and does not write the other's blocks once more.
    #expect(try fold() == nil)
    #expect(try totals() == [2, 0] && world.count("confirmation_log") == 2)
    try other.script("COMMIT")
    #expect(try totals() == [2, 0] && world.count("confirmation_log") == 1)
    #expect(try fold() == 1 && fold() == nil)
    #expect(try totals() == [2, 0] && world.count("confirmation_log") == 0 && world.count("receipts") == 2)
  }

  @Test func `a message is stopped, ended and opened again while its receipts are folded`() throws {
    try confirm([1])
    let other = try TestDatabase.connect(to: world.databaseURL)
    try other.script("BEGIN")
    #expect(try ConfirmationFold.step(of: seqno, after: 0, atMost: 9, writer: 9, on: other)?.rows == 1)
    // Whoever waited for the fold would fail.
    let operators = try TestDatabase.connect(to: world.databaseURL)
    try operators.script("SET lock_timeout = '2s'")
    let locked = try operators.transaction { () throws(PostgresError) in try operators.run(Controls.lock(seqno)) }
    #expect(locked != nil)
    try operators.transaction { () throws(PostgresError) -> Void in
      try RejectionReversals.reopen([seqno], on: operators)
      try Messages.finish([seqno], at: SystemClock().wallTime, within: operators)
    }
    try other.script("COMMIT")
    #expect(try totals() == [1, 0] && world.funnel(seqno).funnel.state == .completed)
  }

  @Test func `a node that stops does not wait until it has folded, and nothing is lost`() throws {
    try confirm([1])
    let other = try TestDatabase.connect(to: world.databaseURL)
    // As if there were very many blocks to be written.
    try other.script("BEGIN; LOCK TABLE block_confirmations")
    try world.connection.script("UPDATE confirmation_log SET logged_at = logged_at - interval '601 seconds'")
    _ = try poll("no node folds it") { try world.connection.waitingSessions() > 0 ? true : nil }
    let began = SystemClock().now
    world.stop()
    #expect(SystemClock().now - began < .seconds(5))
    try other.script("ROLLBACK")
    #expect(try totals() == [1, 0] && world.count("confirmation_log") == 1)
    #expect(try fold() == 1)
    #expect(try totals() == [1, 0] && world.count("confirmation_log") == 0)
  }

  @Test func `a message's log is folded when there is enough of it, when it is old, or when the log is large`() throws {
    func due(_ change: (inout ConfirmationFold.Thresholds) -> Void) throws -> [Seqno] {
      var thresholds = ConfirmationFold.Thresholds()
      change(&thresholds)
      return try world.connection.run(ConfirmationFold.due(thresholds))
    }
    try confirm([1, 2])
    #expect(try due { _ in } == [])
    #expect(try due { $0.entriesPerBlock = 3 } == [] && due { $0.entriesPerBlock = 2 } == [seqno])
    #expect(try due { $0.entries = 3 } == [] && due { $0.entries = 2 } == [seqno])
    #expect(try due { $0.logBytes = 1 } == [seqno])
    // A node folds it at once, but passes by what somebody holds.
    try world.connection.script("BEGIN; UPDATE confirmation_log SET logged_at = logged_at - interval '601 seconds'")
    #expect(try due { _ in } == [seqno])
    try world.connection.script("COMMIT")
    // The nodes do it by themselves.
    _ = try poll("it is not folded") { try world.count("confirmation_log") == 0 ? true : nil }
    #expect(try totals() == [2, 0])
  }

  @Test func `of a message that is forgotten, or closed, nothing more is logged, and what was logged counts`() throws {
    func folded() throws {
      _ = try poll("no node folds it") { try world.count("confirmation_log") == 0 ? true : nil }
    }
    try confirm([1])
    // A minute later the nodes delete its blocks: not before this test has ended.
    try world.connection.script("UPDATE messages SET forgotten_at = now() + interval '1 hour'")
    let late = try confirm([2])
    #expect(late.map(\.status) == [.unknownMessage] && late.map(\.isForgotten) == [true])
    // As its blocks will go, the nodes do not wait until it is time to fold.
    try folded()
    #expect(try totals() == [1, 0])
    try world.connection.script("UPDATE messages SET forgotten_at = NULL")
    try confirm([3])
    try world.connection.script("UPDATE seqno_ranges SET closed_at = now() + interval '1 hour'")
    #expect(try confirm([4]).map(\.isForgotten) == [true])
    try folded()
    #expect(try totals() == [2, 0])
    // What comes to the log when the blocks are gone is dropped.
    let place = try place(5)
    try world.connection.script(
      """
      UPDATE seqno_ranges SET closed_at = NULL;
      DELETE FROM block_confirmations;
      DELETE FROM block_states;
      DELETE FROM blocks
      """)
    _ = try world.connection.run(ConfirmationLog.append([ConfirmationLog.Entry(place, isRead: false, at: 0)]))
    try folded()
    #expect(try totals() == [2, 0] && world.count("block_confirmations") == 0)
  }
}
