import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// What PostgreSQL makes of wall clocks: gaps, overlaps, months of different length, windows.
@Suite struct TimeZoneTests {
  let world: BatchWorld

  init() throws {
    world = try BatchWorld()
  }

  private func text(_ sql: String) throws -> String {
    let rows = try world.connection.run(Statement("zone\(sql.hashValue)", "SELECT coalesce((\(sql))::text, 'open')"))
    return rows.text(0, 0)
  }

  private func span(_ local: String, _ zones: String...) throws -> (first: String, last: String) {
    try world.connection.script("DELETE FROM devices")
    for (number, zone) in zones.enumerated() {
      try world.connection.script(
        """
        INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, time_zone, bound_at,
          registered_at, created_at)
        VALUES ('00000000-0000-8000-8000-00000000000\(number)', \(world.app.number), 'u\(number)', 1, 1, 1, 'a\(number)',
          'a', '\(zone)', now(), now(), now())
        """)
    }
    let span = try world.connection.run(
      Waves.span(app: world.app.number, try #require(LocalTime(local)), appTimeZone: "Asia/Seoul"))
    return (span.first.description, span.last.description)
  }

  @Test func `a local time spans from the first zone to the last`() throws {
    let span = try span("2026-12-24T09:00", "Pacific/Kiritimati", "Etc/GMT+12", "Europe/Berlin")
    #expect(span.first == "2026-12-23T19:00:00.000Z" && span.last == "2026-12-24T21:00:00.000Z")
  }

  @Test func `zones that nobody knows, and none, are the app's`() throws {
    let span = try span("2026-12-24T09:00", "Middle/Earth", "")
    #expect(span.first == "2026-12-24T00:00:00.000Z" && span.last == span.first)
  }

  @Test func `a time that the clock jumps over is as long after the jump`() throws {
    // 2026-03-08 02:30 does not exist in New York: it becomes 03:30 summer time.
    #expect(try span("2026-03-08T02:30", "America/New_York").last == "2026-03-08T07:30:00.000Z")
    #expect(try span("2026-03-08T03:30", "America/New_York").last == "2026-03-08T07:30:00.000Z")
  }

  @Test func `of a time that comes twice the second is meant`() throws {
    // 2026-11-01 01:30 in New York: first at 05:30Z, again at 06:30Z.
    #expect(try span("2026-11-01T01:30", "America/New_York").last == "2026-11-01T06:30:00.000Z")
    // Half an hour only, on Lord Howe Island: 2026-04-05 01:45.
    #expect(try span("2026-04-05T01:45", "Australia/Lord_Howe").first == "2026-04-04T15:15:00.000Z")
  }

  @Test func `a window opens and closes by the wall clock`() throws {
    try world.connection.script("SET TIME ZONE 'UTC'")
    for (moment, opens, closes, expected) in [
      ("2026-06-01 03:00Z", "08:00", "21:00", "open"), ("2026-05-31 23:00Z", "08:00", "21:00", "open"),
      ("2026-05-31 22:59:59Z", "08:00", "21:00", "2026-05-31 23:00:00+00"),
      ("2026-06-01 12:00Z", "08:00", "21:00", "2026-06-01 23:00:00+00"),
      ("2026-06-01 11:59:59Z", "08:00", "21:00", "open"),
      // Over midnight: from nine in the evening to eight in the morning.
      ("2026-06-01 12:00Z", "21:00", "08:00", "open"), ("2026-06-01 15:00Z", "21:00", "08:00", "open"),
      ("2026-06-01 22:59:59Z", "21:00", "08:00", "open"),
      ("2026-06-01 23:00Z", "21:00", "08:00", "2026-06-02 12:00:00+00"),
    ] {
      let window = "window_opens_at('\(moment)', 'Asia/Seoul', '\(opens)', '\(closes)')"
      #expect(try text(window) == expected, "\(window)")
    }
  }

  @Test func `a window that opens in a gap opens after it`() throws {
    try world.connection.script("SET TIME ZONE 'UTC'")
    #expect(
      try text("window_opens_at('2026-03-08 06:00Z', 'America/New_York', '02:30', '21:00')") == "2026-03-08 07:30:00+00"
    )
  }

  @Test func `without a window it is open`() throws {
    #expect(try text("window_opens_at(now(), 'Asia/Seoul', NULL, NULL)") == "open")
  }

  // MARK: Repetition

  /// Due times of a repetition's occurrences, in the app's zone.
  private func occurrences(
    _ sendAt: String, every unit: String, until: String, zone: String = "Asia/Seoul", count: Int
  ) throws -> [String] {
    try world.connection.script("UPDATE apps SET time_zone = '\(zone)'")
    world.now = try #require(Timestamp(sendAt)) - .seconds(1)
    let answer = try world.sent(
      world.request(
        #"{"all":true}"#,
        #""alert":"hi","dbIn":false,"sendAt":"\#(sendAt)","repeat":{"every":"\#(unit)","until":"\#(until)"}"#))
    #expect(answer.contains(#""state":"scheduled""#), "\(answer)")
    var seqno: Seqno? = Seqno(try world.count("SELECT max(seqno) FROM messages"))
    var times: [String] = []
    while let present = seqno, times.count < count {
      times.append(
        try text(
          "to_char((SELECT due_at FROM messages WHERE seqno = \(present)) AT TIME ZONE '\(zone)', 'MM-DD HH24:MI')"))
      seqno = try world.connection.run(Schedules.continueAfter(present))
    }
    return times
  }

  @Test func `a month's last day comes back after shorter months, up to and with the last day`() throws {
    #expect(
      try occurrences("2027-01-31T09:00:00+09:00", every: "month", until: "2027-05-31", count: 9)
        == ["01-31 09:00", "02-28 09:00", "03-31 09:00", "04-30 09:00", "05-31 09:00"])
  }

  @Test func `a day before the last day's occurrence there is none`() throws {
    #expect(
      try occurrences("2027-01-30T09:00:00+09:00", every: "day", until: "2027-01-31", count: 9)
        == ["01-30 09:00", "01-31 09:00"])
    #expect(try occurrences("2027-01-30T09:00:00+09:00", every: "week", until: "2027-02-05", count: 9).count == 1)
  }

  @Test func `the wall clock is kept when the clocks change`() throws {
    #expect(
      try occurrences(
        "2027-03-13T09:00:00-05:00", every: "day", until: "2027-03-15", zone: "America/New_York", count: 9)
        == ["03-13 09:00", "03-14 09:00", "03-15 09:00"])
    // 02:30 does not exist on the 14th.
    #expect(
      try occurrences(
        "2027-03-13T02:30:00-05:00", every: "day", until: "2027-03-15", zone: "America/New_York", count: 9)
        == ["03-13 02:30", "03-14 03:30", "03-15 02:30"])
  }

  @Test func `an occurrence is made once, however often it is asked for`() throws {
    _ = try occurrences("2027-01-30T09:00:00+09:00", every: "day", until: "2027-02-20", count: 1)
    #expect(try world.connection.run(Schedules.continueAfter(1)) == nil)
    #expect(try world.count("SELECT count(*) FROM messages") == 2)
    // Nor is the history of the next one kept.
    #expect(try world.count("SELECT count(*) FROM messages WHERE keeps_history") == 0)
  }
}
