import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher

/// While statistics cannot be rolled up because of their data, that is said once, and tried seldom.
@Suite struct StatisticsTurnsTests {
  private let database: TestDatabase
  private let connection: Connection
  /// 2026-03-01T03:30:00Z.
  private let now = Timestamp(seconds: 1_772_335_800)
  private let began = Instant(nanoseconds: 1_000_000_000_000)

  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key, time_zone) VALUES ('a', 'a', 'a', 'UTC');
      UPDATE statistics_progress SET hours_upto = '2026-03-01T01:00:00Z';
      ALTER TABLE statistics_hours ADD CONSTRAINT poison CHECK (accepted < 3)
      """)
    var tally = Statistics.Tally()
    tally.count(.accepted, Statistics.Key(app: 1), times: 3)
    try connection.run(Statistics.add(tally, writer: 7, at: now - .seconds(2 * 3_600)))
  }

  /// Each minute of so many, and a word for each that tells anything.
  private func told(_ turns: inout StatisticsTurns, minutes: Range<Int>) throws -> [String] {
    var told: [String] = []
    for minute in minutes {
      switch try turns.step(connection, now: now, at: began + .seconds(60 * minute)) {
      case .failed(let error)?: told.append("\(minute) \(error.constraint ?? "")")
      case .mended?: told.append("\(minute) mended")
      case nil: break
      }
    }
    return told
  }

  private func hours() throws -> Int64 {
    try connection.run(Statement("test-hours", "SELECT count(*) FROM statistics_hours")).int64(0, 0)
  }

  @Test func `a failure is told when it begins and when it ends, and is tried every ten minutes`() throws {
    var turns = StatisticsTurns()
    let first = try told(&turns, minutes: 0..<25)
    #expect(first == ["0 poison"])
    try connection.script("ALTER TABLE statistics_hours DROP CONSTRAINT poison")
    let pause = try told(&turns, minutes: 25..<30)
    #expect(pause.isEmpty, "\(pause)")
    #expect(try hours() == 0)
    let last = try told(&turns, minutes: 30..<60)
    #expect(last == ["30 mended"])
    #expect(try hours() == 1)
  }

  @Test func `one that another node has mended is told as well, and one that another node is at is not`() throws {
    var turns = StatisticsTurns()
    let first = try told(&turns, minutes: 0..<1)
    #expect(first == ["0 poison"])
    let other = try database.connect()
    try other.script("BEGIN; SELECT FROM statistics_progress FOR UPDATE")
    let meanwhile = try told(&turns, minutes: 10..<20)
    #expect(meanwhile.isEmpty, "\(meanwhile)")
    try other.script("ROLLBACK; ALTER TABLE statistics_hours DROP CONSTRAINT poison")
    #expect(try StatisticsRollup.run(other, now: now))
    let last = try told(&turns, minutes: 20..<30)
    #expect(last == ["20 mended"])
  }
}
