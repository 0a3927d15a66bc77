import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// Deliveries of a campaign stand in blocks, and whoever asks for them finds them as if each had a row.
@Suite struct CampaignBlockTests {
  private static let devices = 40
  private let world: DispatcherWorld
  private let seqno: Seqno

  /// All but the 7th are accepted at once; the 8th at the second try. The 10th is in quarantine.
  init() throws {
    world = try DispatcherWorld { _, target, attempt in
      switch DispatcherWorld.number(target) {
      case 7: .rejected(reason: "PayloadTooLarge")
      case 8 where attempt == 1: .retry(reason: "InternalServerError", after: nil)
      default: .accepted
      }
    }
    try world.makeDevices(1..<1 + Self.devices)
    try world.connection.script(
      """
      UPDATE devices SET quarantined_at = now(), quarantine_reason = 'Unregistered'
      WHERE device = '\(DispatcherWorld.device(10))'
      """)
    seqno = try world.send()
    _ = try world.finished(seqno)
  }

  /// Devices stand in the order of their numbers.
  private func receive(_ numbers: [Int]) throws {
    let block = BlockID(
      seqno: seqno, number: try world.connection.run(Statement("block", "SELECT block FROM blocks")).int32(0, 0))
    let entries = numbers.map {
      ConfirmationLog.Entry(
        BlockPlace(block: block, position: $0 - 1), isRead: false, at: SystemClock().wallTime)
    }
    #expect(try world.connection.run(ConfirmationLog.append(entries)) == [seqno])
  }

  private func user(_ number: Int) -> UserKey {
    UserKey(clientUID: String(String(100_000_000 + number).dropFirst()))
  }

  @Test func `what is ordinary is a byte, and what is not has a row`() throws {
    #expect(try world.count("blocks WHERE seqno = \(seqno) AND devices_count = \(Self.devices)") == 1)
    #expect(try world.count("outcomes WHERE seqno = \(seqno)") == 2)
    #expect(try world.count("outcomes WHERE status = 2 AND reason = 'PayloadTooLarge'") == 1)
    #expect(try world.count("outcomes WHERE status = 1 AND attempts = 2") == 1)
    #expect(try world.count("deliveries WHERE seqno = \(seqno) AND status = 1") == Self.devices - 2)
    #expect(try world.count("deliveries WHERE seqno = \(seqno) AND user_key = '\(user(9).text)' AND attempts = 1") == 1)
    #expect(try world.count("deliveries WHERE status = 5 AND reason = 'quarantine' AND attempts = 0") == 1)
    for question in Invariants.all { #expect(try world.connection.run(question.broken) == 0, "\(question.promise)") }
    try world.connection.script("UPDATE message_totals SET accepted = accepted - 1")
    let broken = try Invariants.all.filter { try world.connection.run($0.broken) > 0 }
    #expect(broken.contains { $0.promise.contains("was counted") }, "a byte is counted like a row")
  }

  @Test func `pages show each delivery once, whatever their size, and what was confirmed`() throws {
    try receive([8, 9])
    func pages(_ size: Int, _ status: OutcomeStatus?) throws -> [DeliveryPages.Delivery] {
      var found: [DeliveryPages.Delivery] = []
      while true {
        // As a client gives it back.
        let after = found.last.map { $0.place.cursor }.flatMap(DeliveryPages.Place.init(cursor:)) ?? .start
        let page = try DeliveryPages.next(
          of: seqno, after: after, status: status, limit: size, on: world.connection)
        found += page
        if page.count < size { return found }
      }
    }
    for size in [1, 7, 40, 100] {
      let all = try pages(size, nil)
      #expect(
        Set(all.map(\.device)) == Set((1...Self.devices).map(DispatcherWorld.device)) && all.count == Self.devices)
      #expect(try pages(size, .accepted).count == Self.devices - 2)
      #expect(try pages(size, .rejected).map(\.device) == [DispatcherWorld.device(7)])
      #expect(try pages(size, .skipped).map(\.device) == [DispatcherWorld.device(10)])
    }
    for (reason, devices) in [(nil, [7, 10]), ("PayloadTooLarge", [7]), ("quarantine", [10]), ("consent", [])] {
      var (found, place): ([DeviceID], DeliveryPages.Place?) = ([], .start)
      while let after = place {
        let (page, rest) = try DeliveryPages.failures(
          of: seqno, after: after, reason: reason, window: 1, limit: 1, on: world.connection)
        found += page.map(\.device)
        place = rest ?? page.last?.place
      }
      #expect(found == devices.map(DispatcherWorld.device), "\(reason ?? "any")")
    }
    let confirmed = try pages(100, nil).filter { $0.receivedAt != nil }.map(\.device)
    #expect(Set(confirmed) == [DispatcherWorld.device(8), DispatcherWorld.device(9)])
    #expect(DeliveryPages.Place(cursor: "1:") == nil && DeliveryPages.Place(cursor: "-1:4") == nil)
  }

  @Test func `a person's messages, and why it did not come, are told from the block`() throws {
    let person = user(9)
    #expect(
      try world.connection.run(PersonMessages.find([(seqno, true)], for: person, on: [DispatcherWorld.device(9)])) == [
        seqno
      ])
    let listed = try world.connection.run(
      PersonMessages.deliveries(
        of: [seqno], for: Users.Key(app: world.app, userKey: person), on: [DispatcherWorld.device(9)]))
    #expect(listed[seqno]?.map(\.status) == [.accepted])
    let explained = try world.connection.run(
      Explanations.deliveries(seqno, of: person, on: [DispatcherWorld.device(9)], searching: false))
    #expect(explained.map(\.status) == [.accepted] && explained.map(\.attempts) == [1])
  }

  @Test func `a confirmation finds its person although the device is another's by now`() throws {
    let delivery = Confirmations.Delivery(seqno: seqno, device: DispatcherWorld.device(9))
    let block = try world.connection.run(Statement("block", "SELECT block FROM blocks")).int32(0, 0)
    let sending = Confirmations.Sending(
      userKey: user(9), place: BlockPlace(block: BlockID(seqno: seqno, number: block), position: 8))
    #expect(try world.connection.run(Confirmations.sentTo([delivery])) == [delivery: sending])
    try world.connection.script(
      "UPDATE devices SET user_key = 'uheir' WHERE device = '\(DispatcherWorld.device(9))'")
    #expect(try world.connection.run(Confirmations.sentTo([delivery])) == [delivery: sending])
  }

  @Test func `a delivery in a block, like one with a row, is known never to have arrived`() throws {
    let deliveries = [7, 8, 9, 10].map { Confirmations.Delivery(seqno: seqno, device: DispatcherWorld.device($0)) }
    let sentTo = try world.connection.run(Confirmations.sentTo(deliveries))
    #expect(deliveries.map { sentTo[$0]?.neverArrived } == [true, false, false, true])
  }

  @Test(arguments: [7, 2_000]) func `whoever has not confirmed gets it once more`(limit: Int) throws {
    try receive([1, 2, 3, 8])
    let reader = ResendReader(seqno, .notReceived, frozenAt: 4_000_000_000_000_000)
    var (found, parts): ([DeviceID], Int64) = ([], 0)
    var before: String?
    while let part = try reader.nextPart(after: before, world.connection), case .keys(let after, let upto) = part.part {
      parts += part.targeted
      var place = after
      while true {
        let batch = try reader.nextBatch(place, upto, limit: limit, world.connection)
        found += batch.members.map(\.device)
        guard !batch.isLast, case .keys(let next, _) = batch.rest else { break }
        #expect(next > place, "keys of shards sort as they are read")
        place = next
      }
      #expect(before ?? "" < upto)
      before = upto
    }
    let expected = Set((1...Self.devices).map(DispatcherWorld.device))
      .subtracting([1, 2, 3, 7, 8, 10].map(DispatcherWorld.device))
    #expect(Set(found) == expected && found.count == expected.count && parts == Int64(expected.count))
    let failed = ResendReader(seqno, .failed, frozenAt: 4_000_000_000_000_000)
    #expect(try failed.nextPart(after: nil, world.connection)?.targeted == 1)
    #expect(try failed.nextPart(after: DeviceID.highest.description, world.connection)?.targeted == 1)
  }

  @Test func `who is erased is nobody in the block, whose other people are found as before`() throws {
    // The first of a block is the name that it is found by.
    for number in [1, 2, 20] {
      _ = try PersonRights.erase(
        String(user(number).text.dropFirst()), of: DispatcherWorld.appID, by: .commandLine, on: world.connection)
    }
    try world.walkErasures()
    #expect(try world.count("erasures") == 0)
    let names = [1, 2, 20].map { "'\(user($0).text)'" }.joined(separator: ", ")
    #expect(try world.count("deliveries WHERE user_key IN (\(names))") == 0)
    #expect(try world.count("blocks WHERE first_key IN (\(names))") == 0)
    let bytes = try world.connection.run(Statement("test-bytes", "SELECT user_keys FROM blocks")).bytes(0, 0)
    #expect(!String(decoding: bytes, as: UTF8.self).contains(String(user(20).text.dropFirst())))
    #expect(try world.count("deliveries WHERE seqno = \(seqno) AND user_key = 'g' || device") == 3)
    for number in [3, 19, 21, Self.devices] {
      #expect(try world.count("block_deliveries(\(seqno), '\(user(number).text)')") == 1, "\(number)")
    }
  }

  @Test func `a delivery under way keeps its name in the block until it has ended`() throws {
    world.network.hold([DispatcherWorld.device(5)])
    let second = try world.send()
    _ = try poll("the others are not written") {
      try world.funnel(second).funnel.accepted == Self.devices - 3 ? true : nil
    }
    #expect(try world.count("block_deliveries(\(second), '\(user(5).text)') WHERE status = 6 AND at IS NULL") == 1)
    try world.connection.script(
      """
      INSERT INTO erasures (app, user_key, upto_seqno, upto_claim, lap, from_seqno, from_device)
      VALUES (\(world.app), '\(user(5).text)', \(second), 0, 1, 0, '00000000-0000-0000-0000-000000000000')
      """)
    try world.walkErasures()
    #expect(try world.count("erasure_rests") == 1)
    _ = try Erasures.takeOutRests(on: world.connection)
    #expect(try world.count("block_deliveries(\(second), '\(user(5).text)')") == 1)
    world.network.answerHeld()
    _ = try world.finished(second)
    try world.connection.script("UPDATE erasure_rests SET looked_at = looked_at - interval '2 minutes'")
    _ = try Erasures.takeOutRests(on: world.connection)
    #expect(try world.count("block_deliveries(\(second), '\(user(5).text)')") == 0)
    #expect(try world.count("erasure_rests") == 0)
  }

  @Test func `of a message that is to be forgotten no block is left`() throws {
    try receive([9])
    _ = try world.connection.transaction { () throws(PostgresError) in
      try ConfirmationFold.step(of: seqno, after: 0, atMost: 9, writer: 1, on: world.connection)
    }
    try receive([8])
    try world.connection.script("UPDATE messages SET forgotten_at = now() - interval '2 minutes'")
    var isEmpty = false
    while !isEmpty {
      isEmpty = try world.connection.transaction(attempts: 1) { () throws(PostgresError) -> Bool in
        let marked = try world.connection.run(Forgetting.marked(atMost: 5))
        return try Forgetting.empty(marked, atMost: 10, on: world.connection)
      }
    }
    for table in [
      "blocks", "block_states", "block_confirmations", "confirmation_log", "outcomes",
    ] { #expect(try world.count(table) == 0, "\(table)") }
  }
}
