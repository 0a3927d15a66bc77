import Domain
import Postgres
import Store
import TestSupport
import Testing

/// What a block holds, and what is written into its states.
@Suite struct BlockTests {
  private static func device(_ number: Int) -> DeviceID { DeviceID(high: 0x0123_4567_89ab_4def, low: UInt64(number)) }

  private static let recipients: [(device: DeviceID, userKey: UserKey)] =
    [1, 2].map { (device($0), UserKey(guest: device($0))) }
    + [(device(3), UserKey(clientUID: "anna")), (device(4), UserKey(clientUID: "anna"))]
    + [(device(5), UserKey(clientUID: "길동"))]

  @Test func `a block gives its recipients back, guests without a byte of their keys`() throws {
    let block = try #require(BlockRecipients(Self.recipients))
    let read = BlockRecipients(devices: block.devices, userKeys: block.userKeys)
    #expect(read.count == 5)
    for (position, recipient) in Self.recipients.enumerated() {
      #expect(read.device(position) == recipient.device && read.userKey(position) == recipient.userKey)
    }
    #expect(block.userKeys.count == 5 * 3 + 2 * 5 + 7)
    #expect(read.firstNamedKey == UserKey(clientUID: "anna"))
  }

  @Test func `who is erased leaves a device with a key of its own, and nobody else's changes`() throws {
    var block = try #require(BlockRecipients(Self.recipients))
    block.erase([2, 3])
    #expect(block.userKey(2) == UserKey(guest: Self.device(3)) && block.userKey(3) == UserKey(guest: Self.device(4)))
    for position in [0, 1, 4] {
      #expect(block.userKey(position) == Self.recipients[position].userKey)
      #expect(block.device(position) == Self.recipients[position].device)
    }
  }

  @Test func `the first word about a delivery counts, and what is out of the ordinary goes to a row`() {
    var states = BlockStates(bytes: [0, 0, 0, 0], acceptedAt: nil, leftOutAt: nil)
    #expect(states.settle(0, as: .accepted, at: 1_000_000) == .taken)
    #expect(states.settle(0, as: .accepted, at: 1_000_000) == .late)
    #expect(states.settle(0, as: nil, at: 1_000_000) == .late)
    #expect(states.settle(1, as: nil, at: 1_000_000) == .row)
    // From then on the row says what stands.
    #expect(states.settle(1, as: .accepted, at: 1_000_000) == .row)
    #expect(states.acceptedAt == 1_000_000 && states.leftOutAt == nil && states.bytes == [1, 2, 0, 0])
    // Up to a minute apart they share a time.
    #expect(states.settle(2, as: .accepted, at: 61_000_000) == .taken)
    #expect(states.settle(3, as: .accepted, at: 61_000_001) == .row)
  }

  @Test func `the tables that are dropped are those that partitions are made of`() throws {
    let rows = try TestDatabase.make().connect().run(
      Statement("test-tables", "SELECT name::text FROM delivery_tables"))
    #expect(Set(rows.map { rows.text($0, 0) }) == Set(HistoryRanges.tables))
  }

  @Test func `what a state says is the same in SQL`() throws {
    let rows = try TestDatabase.make().connect().run(
      Statement("test-codes", "SELECT code, status, attempts, reason FROM block_codes ORDER BY code"))
    #expect(rows.count == BlockState.allCases.count)
    for (row, state) in BlockState.allCases.enumerated() {
      #expect(rows.int16(row, 0) == Int16(state.rawValue) && state.rawValue < 16)
      guard let outcome = state.outcome else {
        #expect(state == .hasRow ? rows.isNull(row, 1) : rows.int16(row, 1) == OutcomeStatus.deferred.rawValue)
        continue
      }
      #expect(rows.int16(row, 1) == outcome.status.rawValue && rows.int16(row, 2) == outcome.attempts)
      #expect(rows.isNull(row, 3) ? outcome.reason == nil : rows.text(row, 3) == outcome.reason)
    }
  }

  @Test func `only what says all of an outcome is its state`() {
    func state(_ status: OutcomeStatus, _ attempts: Tries, _ reason: String?) -> BlockState? {
      BlockState(
        Outcomes.Record(
          seqno: 1, device: Self.device(1), userKey: UserKey(clientUID: "u"), status: status, attempts: attempts,
          reason: reason, dueAt: nil))
    }
    #expect(state(.accepted, 1, nil) == .accepted && state(.accepted, 2, nil) == nil)
    #expect(state(.accepted, Tries(1, mayHaveArrived: true), nil) == nil)
    #expect(state(.skipped, 0, "quarantine") == .quarantine && state(.skipped, 1, "quarantine") == nil)
    #expect(state(.expired, 0, "expired") == .expired && state(.expired, 0, "ServiceUnavailable") == nil)
    #expect(state(.rejected, 1, "Unregistered") == nil && state(.deferred, 0, "window") == nil)
  }

  @Test func `the database finds whoever stands in a block, by key and by device`() throws {
    let connection = try TestDatabase.make().connect()
    let block = try #require(BlockRecipients(Self.recipients))
    _ = try connection.run(
      Blocks.create(
        BlockID(seqno: 1, number: 7), node: UUIDValue(high: 1, low: 1), block,
        firstKey: Self.recipients[0].userKey, increment: nil))
    var states = try connection.withTransaction { try connection.run(Blocks.lock([BlockID(seqno: 1, number: 7)])) }
    _ = states[BlockID(seqno: 1, number: 7)]?.settle(3, as: .accepted, at: 1_000_000)
    _ = states[BlockID(seqno: 1, number: 7)]?.settle(4, as: nil, at: 1_000_000)
    try connection.run(Blocks.save(states))
    func found(_ key: UserKey) throws -> [String] {
      let statement = Statement(
        "test-block-entries",
        "SELECT place || ':' || state || ':' || device FROM block_entries_of(1, $1) ORDER BY place")
      let rows = try connection.run(statement, Parameters(key.text))
      return rows.map { rows.text($0, 0) }
    }
    #expect(try found(UserKey(clientUID: "anna")) == ["2:0:\(Self.device(3))", "3:1:\(Self.device(4))"])
    #expect(try found(UserKey(clientUID: "길동")) == ["4:2:\(Self.device(5))"])
    // A part of a key, or a device that stands there for another guest, is nobody.
    #expect(try found(UserKey(clientUID: "ann")) == [] && found(UserKey(guest: Self.device(6))) == [])
    #expect(try found(UserKey(guest: Self.device(2))) == ["1:0:\(Self.device(2))"])
  }
}
