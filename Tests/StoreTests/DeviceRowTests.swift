import Domain
import Postgres
import TestSupport
import Testing
import Time

@testable import Store

/// What a registration costs, and what it leaves of an earlier one.
@Suite struct DeviceRowTests {
  private let connection: Connection
  private let record = Devices.Record(
    device: DeviceID(high: 0x0123_4567_89ab_4def, low: 1), app: 1, userKey: UserKey(clientUID: "kim"), network: .apns,
    environment: .production, psid: "aa", installation: "d1", attributes: Devices.Attributes(),
    now: Timestamp(seconds: 1_800_000_000))

  init() throws {
    connection = try TestDatabase.make().connect()
    try connection.run(Devices.save([record]))
  }

  @Test func `a device that registers again gets no new entry in any index`() throws {
    var again = record
    again.registeredAt = record.registeredAt + .seconds(86_400)
    again.seenAt = again.registeredAt
    let saving = Devices.save([again])
    let writtenInPlace = try connection.transaction { () throws(PostgresError) -> Int64 in
      try connection.run(saving)
      return try connection.run(
        Statement("test-hot-updates", "SELECT pg_stat_get_xact_tuples_hot_updated('devices'::regclass)")
      ).int64(0, 0)
    }
    #expect(writtenInPlace == 1)
  }

  @Test func `a device was unregistered when it first was, and no longer once it is back`() throws {
    func unregistered() throws -> Timestamp? {
      let rows = try connection.run(Statement("test-unregistered", "SELECT unregistered_at FROM devices"))
      return rows.optionalTimestamp(0, 0)
    }
    #expect(try unregistered() == nil)
    var changed = record
    changed.state = .unregistered
    try connection.run(Devices.save([changed]))
    let first = try #require(try unregistered())
    try connection.run(Devices.save([changed]))
    #expect(try unregistered() == first)
    changed.state = .active
    try connection.run(Devices.save([changed]))
    #expect(try unregistered() == nil)
  }
}
