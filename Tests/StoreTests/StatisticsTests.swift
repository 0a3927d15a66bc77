import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@Suite struct StatisticsTests {
  private let connection: Connection
  /// 2026-03-01T00:30:00Z: half past nine in the morning in Seoul.
  private let start = Timestamp(seconds: 1_772_325_000)
  private let minute = Duration.seconds(60)
  private let hour = Duration.seconds(3_600)

  init() throws {
    connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key, time_zone) VALUES ('a', 'a', 'a', 'Asia/Seoul'), ('b', 'b', 'b', 'UTC');
      UPDATE statistics_progress SET hours_upto = '2026-03-01T00:00:00Z'
      """)
  }

  private func count(
    _ status: OutcomeStatus, _ times: Int64 = 1, app: Int32 = 1, network: PushNetwork? = .apns, lane: Lane = .normal,
    version: String = "", reason: String = "", at: Timestamp, writer: Int32 = 7
  ) throws {
    var key = Statistics.Key(app: app)
    key.network = network
    key.lane = lane
    key.appVersion = version
    key.reason = reason
    var tally = Statistics.Tally()
    tally.count(status, key, times: times)
    try connection.run(Statistics.add(tally, writer: writer, at: at))
  }

  private func report(
    _ unit: StatisticsReports.Unit, _ division: StatisticsReports.Division = .none, apps: [Int32] = [1, 2],
    from: Timestamp? = nil, to: Timestamp? = nil
  ) throws -> [StatisticsReports.Row] {
    try connection.run(
      StatisticsReports.report(
        of: apps, from: from ?? start - hour * (400 * 24), to: to ?? start + hour * (400 * 24), by: unit, per: division,
        limit: 1000))
  }

  @Test func `writers add up in the minute, each in a row of its own`() throws {
    try count(.accepted, 3, at: start, writer: 1)
    try count(.accepted, 4, at: start + minute - .microseconds(1), writer: 1)
    try count(.accepted, 5, at: start + .microseconds(1), writer: 2)
    try count(.rejected, 2, reason: "BadDeviceToken", at: start + minute)
    let rows = try report(.minute)
    #expect(rows.map(\.at) == [start, start + minute])
    #expect(rows.map(\.counts.accepted) == [12, 0])
    #expect(rows.map(\.counts.rejected) == [0, 2])
    let stored = try connection.run(Statement("test-rows", "SELECT count(*) FROM statistics_minutes"))
    #expect(stored.int64(0, 0) == 3)
  }

  @Test func `a report is divided by each property, and limited to apps`() throws {
    try count(.accepted, 1, version: "1.0", at: start)
    try count(.skipped, 2, network: nil, lane: .urgent, reason: "gone", at: start)
    try count(.accepted, 4, app: 2, network: .fcm, lane: .bulk, version: "2.0", at: start)
    func parts(_ division: StatisticsReports.Division, apps: [Int32] = [1, 2]) throws -> [String: Int64] {
      Dictionary(
        uniqueKeysWithValues: try report(.hour, division, apps: apps).map {
          ($0.part, $0.counts.accepted + $0.counts.skipped)
        })
    }
    #expect(try parts(.none) == ["": 7])
    #expect(try parts(.app) == ["a": 3, "b": 4])
    #expect(try parts(.network) == ["0": 2, "1": 1, "2": 4])
    #expect(try parts(.lane) == ["0": 2, "1": 1, "2": 4])
    #expect(try parts(.reason) == ["": 5, "gone": 2])
    #expect(try parts(.appVersion) == ["": 2, "1.0": 1, "2.0": 4])
    #expect(try parts(.app, apps: [2]) == ["b": 4])
  }

  @Test func `an app in an unknown time zone is reported by UTC, and the others by theirs`() throws {
    try count(.accepted, 1, at: start)
    try count(.accepted, 2, app: 2, at: start)
    try connection.script(
      """
      INSERT INTO statistics_minutes (app, at, writer, network, lane, app_version, reason, read)
      VALUES (2, '2026-03-01T00:30:00Z', 1, 2, 1, '', '', 1);
      UPDATE apps SET time_zone = 'Mars/Base' WHERE app = 2
      """)
    for unit in StatisticsReports.Unit.allCases {
      let rows = try report(unit, .app)
      #expect(rows.map(\.counts.accepted).reduce(0, +) == 3, "\(unit)")
      #expect(Set(rows.map { "\($0.part) \($0.timeZone ?? "")" }) == ["a Asia/Seoul", "b UTC"], "\(unit)")
    }
    let times = try connection.run(ReadTimes.rows(of: [1, 2], from: start - hour, to: start + hour))
    #expect(times.map(\.hour) == [0] && times.map(\.read) == [1], "\(times)")
  }

  @Test func `days wait while their app's time zone is unknown, and others' days do not`() throws {
    for step in 0..<100 {
      try count(.accepted, 1, at: start + hour * step)
      try count(.accepted, 1, app: 2, at: start + hour * step)
    }
    func days(_ app: Int32) throws -> [Int64] { try report(.day, apps: [app]).map(\.counts.accepted) }
    func stored(_ app: Int32) throws -> Int64 {
      let sum = "SELECT coalesce(sum(accepted), 0)::bigint FROM statistics_days WHERE app = \(app)"
      return try connection.run(Statement("test-stored-\(app)", sum)).int64(0, 0)
    }
    while try StatisticsRollup.run(connection, now: start + hour * 60) {}
    #expect(try days(1) == [15, 24, 24, 24, 13])
    #expect(try stored(1) == 39)
    try connection.script("UPDATE apps SET time_zone = 'Mars/Base' WHERE app = 1")
    // So long that the minutes are gone.
    while try StatisticsRollup.run(connection, now: start + hour * 300) {}
    #expect(try report(.minute).isEmpty)
    #expect(try stored(2) == 100)
    #expect(try days(2) == [24, 24, 24, 24, 4])
    // The last day in Seoul that is stored is made of hours, in days of UTC.
    #expect(try stored(1) == 39)
    #expect(try days(1) == [15, 9, 24, 24, 24, 4])
    // The database is given the data.
    try connection.script("UPDATE apps SET time_zone = 'Asia/Seoul' WHERE app = 1")
    #expect(try days(1) == [15, 24, 24, 24, 13])
    #expect(try StatisticsRollup.run(connection, now: start + hour * 301))
    #expect(try stored(1) == 100)
    #expect(try days(1) == [15, 24, 24, 24, 13])
  }

  @Test func `rolling up changes no number, done again changes nothing, and late minutes are not lost`() throws {
    for step in 0..<100 { try count(.accepted, 1, at: start + hour * step / 2) }
    func all() throws -> [[Int64]] {
      try StatisticsReports.Unit.allCases.dropFirst().map { unit in
        try report(unit).flatMap { [$0.at.microseconds, $0.counts.accepted] }
      }
    }
    let before = try all()
    #expect(before[0].count == 2 * 51 && before[1].count == 2 * 3)
    let now = start + hour * 30
    #expect(try StatisticsRollup.run(connection, now: now))
    #expect(try all() == before)
    #expect(try !StatisticsRollup.run(connection, now: now))
    let hours = try connection.run(Statement("test-hours", "SELECT count(*) FROM statistics_hours"))
    let days = try connection.run(Statement("test-days", "SELECT count(*) FROM statistics_days"))
    #expect(hours.int64(0, 0) == 30)
    // The first day in Seoul, which began at 15:00 UTC; the second is not over.
    #expect(days.int64(0, 0) == 1)
    // A writer that is slow: its minute is in the hour that was made last.
    try count(.accepted, 10, at: now - hour)
    while try StatisticsRollup.run(connection, now: start + hour * 60) {}
    let after = try all()
    #expect(after[1].enumerated().filter { $0.offset % 2 == 1 }.map(\.element).reduce(0, +) == 110)
    #expect(after[0].count == before[0].count)
  }

  @Test func `days are those of the app's clock`() throws {
    // 23:30 of the last day of February in Seoul is 14:30 UTC.
    let evening = start - hour * 10
    try count(.accepted, 1, at: evening)
    try count(.accepted, 2, app: 2, at: evening)
    try count(.accepted, 4, at: evening + hour)
    try connection.script("UPDATE statistics_progress SET hours_upto = '2026-02-27T00:00:00Z'")
    for _ in 1...2 {
      let rows = try report(.day, .app)
      // Seoul's days begin at 15:00 UTC of the day before.
      #expect(rows.map(\.part).sorted() == ["a", "a", "b"])
      #expect(rows.filter { $0.part == "a" }.map(\.counts.accepted) == [1, 4])
      while try StatisticsRollup.run(connection, now: start + hour * 100) {}
    }
  }

  @Test(arguments: ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"])
  func `an app that moves to another time zone has each hour in one day`(zone: String) throws {
    func sum() throws -> Int64 { try report(.day, apps: [1]).map(\.counts.accepted).reduce(0, +) }
    for step in 0..<100 { try count(.accepted, 1, at: start + hour * step) }
    try count(.accepted, 7, app: 2, at: start)
    while try StatisticsRollup.run(connection, now: start + hour * 80) {}
    #expect(try sum() == 100)
    try connection.withTransaction {
      try connection.script("UPDATE apps SET time_zone = '\(zone)' WHERE app = 1")
      try StatisticsRollup.moveDays(of: 1, from: "Asia/Seoul", to: zone, on: connection)
    }
    #expect(try sum() == 100)
    for step in 100..<150 { try count(.accepted, 1, at: start + hour * step) }
    while try StatisticsRollup.run(connection, now: start + hour * 200) {}
    #expect(try sum() == 150)
    #expect(try report(.day, apps: [1]).allSatisfy { $0.localTime?.hasSuffix(" 00:00") == true })
    #expect(try report(.day, apps: [2]).map(\.counts.accepted) == [7])
  }

  @Test func `days whose hours are gone keep the time zone that they had`() throws {
    // The last day in Seoul that is too old, and the first whose hours are all kept.
    try connection.script(
      """
      INSERT INTO statistics_days (app, at, network, lane, app_version, reason, accepted, rejected, expired, cancelled,
        skipped, received, read, joined, "left")
      SELECT 1, d.at AT TIME ZONE 'Asia/Seoul', 1, 1, '', '', d.accepted, 0, 0, 0, 0, 0, 0, 0, 0
      FROM (VALUES (timestamp '2025-01-25', 10), (timestamp '2025-01-26', 24)) d(at, accepted);
      INSERT INTO statistics_hours (app, at, network, lane, app_version, reason, accepted, rejected, expired, cancelled,
        skipped, received, read, joined, "left")
      SELECT 1, n, 1, 1, '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0
      FROM generate_series(timestamptz '2025-01-25T15:00:00Z', timestamptz '2025-01-26T14:00:00Z', '1 hour') n
      """)
    try connection.withTransaction {
      try connection.script("UPDATE apps SET time_zone = 'UTC' WHERE app = 1")
      try StatisticsRollup.moveDays(of: 1, from: "Asia/Seoul", to: "UTC", on: connection)
    }
    let from = start - hour * (450 * 24)
    #expect(try report(.day, apps: [1], from: from).map(\.counts.accepted) == [10, 9, 15])
  }

  @Test func `an app leaves a time zone that the database no longer knows`() throws {
    try count(.accepted, 1, app: 2, at: start)
    while try StatisticsRollup.run(connection, now: start + hour * 60) {}
    try connection.withTransaction {
      try StatisticsRollup.moveDays(of: 2, from: "Mars/Base", to: "UTC", on: connection)
    }
    #expect(try report(.day, apps: [2]).map(\.counts.accepted) == [1])
  }

  @Test func `minutes older than three days are dropped, their hours stay`() throws {
    try count(.accepted, 1, at: start)
    while try StatisticsRollup.run(connection, now: start + hour * 100) {}
    #expect(try report(.minute).isEmpty)
    #expect(try report(.hour).map(\.counts.accepted) == [1])
  }

  @Test func `hours that a wrong clock had passed by are made when it is right again`() throws {
    // Made up to yesterday; then somebody's clock was 24 days ahead, and since then nothing was made.
    try connection.script(
      """
      UPDATE statistics_progress SET hours_upto = date_trunc('hour', now()) - interval '1 day'
      """)
    let now = try connection.run(WallClock.now())
    let present = Timestamp(seconds: now.seconds / 3_600 * 3_600)
    let first = present - hour * 20
    for step in 0..<20 { try count(.accepted, 1, at: first + hour * step) }
    // Of an hour before, whose minutes are gone.
    try connection.script(
      """
      INSERT INTO statistics_hours (app, at, network, lane, app_version, reason, accepted, rejected, expired, cancelled,
        skipped, received, read, joined, "left")
      SELECT app, at - interval '21 hours', network, lane, app_version, reason, 7, 0, 0, 0, 0,
        0, 0, 0, 0 FROM statistics_minutes WHERE at >= to_timestamp(\((present - hour).seconds));
      UPDATE statistics_progress SET hours_upto = hours_upto + interval '25 days'
      """)
    func hours() throws -> Int64 {
      try report(.hour, from: now - hour * 48, to: now + hour).map(\.counts.accepted).reduce(0, +)
    }
    #expect(try hours() == 7)
    for query in FutureWatermarks.corrections { _ = try connection.run(query) }
    #expect(try hours() == 27)
    while try StatisticsRollup.run(connection, now: now) {}
    #expect(try hours() == 27)
    let made = try connection.run(Statement("test-made", "SELECT count(*) FROM statistics_hours"))
    #expect(made.int64(0, 0) >= 20)
  }
}
