import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

/// Reports by local days, weeks and months, over the days on which clocks change.
@Suite struct PeriodTests {
  private static let hour = Duration.seconds(3_600)
  /// 2026-02-20T00:00:00Z, before clocks change in New York on March 8 and in Berlin on March 29.
  private static let start = Timestamp(seconds: 1_771_545_600)
  /// 60 days.
  private static let hours = 60 * 24

  private func made(_ zone: String, rolledUp: Bool) throws -> Connection {
    let connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key, time_zone) VALUES ('a', 'a', 'a', '\(zone)');
      UPDATE statistics_progress SET hours_upto = '2026-02-20T00:00:00Z';
      INSERT INTO statistics_minutes (app, at, writer, network, lane, app_version, reason, accepted, received, read)
      SELECT 1, timestamptz '2026-02-20T00:00:00Z' + n * interval '1 hour', 1, 0, 1, '', '', 1 + n % 5, n % 3, n % 2
      FROM generate_series(0, \(Self.hours - 1)) n
      """)
    if rolledUp {
      while try StatisticsRollup.run(connection, now: Self.start + Self.hour * Self.hours) {}
    }
    return connection
  }

  @Test(
    arguments: ["Asia/Seoul", "America/New_York", "Europe/Berlin", "Asia/Kolkata"], [false, true])
  func `days, weeks and months have the same sum, and begin at local midnight`(zone: String, rolledUp: Bool) throws {
    let connection = try made(zone, rolledUp: rolledUp)
    // From a local midnight, because days are not divided.
    let midnights = try connection.run(
      Statement(
        "test-midnights",
        "SELECT timestamp '2026-02-26' AT TIME ZONE '\(zone)', timestamp '2026-04-02' AT TIME ZONE '\(zone)'"))
    let (from, to) = (midnights.timestamp(0, 0), midnights.timestamp(0, 1))
    let counted = (0..<Int64(Self.hours)).filter { number in
      let at = Self.start + Self.hour * Int(number)
      return at >= from && at < to
    }.reduce(0) { $0 + 1 + $1 % 5 }
    for unit in [StatisticsReports.Unit.day, .week, .month] {
      let rows = try connection.run(
        StatisticsReports.report(of: [1], from: from, to: to, by: unit, per: .none, limit: 1_000))
      #expect(rows.map(\.counts.accepted).reduce(0, +) == counted, "\(unit)")
      #expect(rows.allSatisfy { $0.localTime?.hasSuffix(" 00:00") == true && $0.timeZone == zone }, "\(unit)")
      switch unit {
      case .month:
        #expect(rows.compactMap(\.localTime).map { $0.prefix(10) } == ["2026-02-01", "2026-03-01", "2026-04-01"])
      case .week: #expect(rows.count == 6 && rows[0].localTime == "2026-02-23 00:00")
      default: #expect(rows.count == 35)
      }
    }
  }

  @Test(arguments: ["Asia/Seoul", "America/New_York"], [false, true])
  func `read times equal the sums of hours`(zone: String, rolledUp: Bool) throws {
    let connection = try made(zone, rolledUp: rolledUp)
    let to = Self.start + Self.hour * Self.hours
    let times = try connection.run(ReadTimes.rows(of: [1], from: Self.start, to: to))
    let hours = try connection.run(
      StatisticsReports.report(of: [1], from: Self.start, to: to, by: .hour, per: .none, limit: 10_000))
    #expect(times.map(\.read).reduce(0, +) == hours.map(\.counts.read).reduce(0, +))
    #expect(times.map(\.received).reduce(0, +) == hours.map(\.counts.received).reduce(0, +))
    #expect(times.count <= 168 && times.allSatisfy { (1...7).contains($0.weekday) && (0...23).contains($0.hour) })
  }
}
