import Domain
import Postgres
import Store
import TestSupport
import Testing

/// What a promoted standby does before it gives the first number.
@Suite struct TimelineTests {
  private let connection: Connection

  init() throws {
    connection = try TestDatabase.make().connect()
  }

  private func claim() throws -> Int64 {
    let device = DeviceID(high: 0x0123_4567_89ab_4def, low: 1)
    let entry = Claims.Entry(device: device, userKey: UserKey(clientUID: "kim"), attempts: 0)
    return try connection.run(Claims.create(Seqno(1), node: UUIDValue(high: 0, low: 7), [entry])).claim.number
  }

  @Test func `a claim gets no number that the lost primary may have given to a node`() throws {
    #expect(try claim() == 1)
    #expect(try claim() == 2)
    // As on the next timeline: nothing has been numbered on the present one yet.
    try connection.script("UPDATE seqno_timeline SET timeline = timeline + 1")
    let first = try claim()
    #expect(first > 500_000)
    #expect(try claim() == first + 1)
    // Messages go on with it, and nothing is skipped twice.
    #expect(try connection.run(Messages.last()) > Seqno(400_000))
    #expect(try connection.run(Timelines.change())?.upto == 500_000)
  }
}
