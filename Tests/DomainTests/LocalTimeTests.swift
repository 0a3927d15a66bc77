import Testing
import Time

@testable import Domain

@Suite struct LocalTimeTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696), ("2026-12-24T09:00:00+09:00", 1_798_070_400),
    ("2026-12-24T09:00+09:00", 1_798_070_400), ("2026-12-23T19:00:00-05:00", 1_798_070_400),
    ("2026-12-24T05:45:00+05:45", 1_798_070_400), ("2100-03-01T00:00:00Z", 4_107_542_400),
  ])
  func `a moment is read with its offset`(text: String, seconds: Int64) {
    #expect(Timestamp(text) == Timestamp(seconds: seconds))
  }

  @Test func `fractions are kept to the microsecond`() {
    #expect(Timestamp("1970-01-01T00:00:00.5Z") == Timestamp(microseconds: 500_000))
    #expect(Timestamp("1970-01-01T00:00:00.123456789Z") == Timestamp(microseconds: 123_456))
    #expect(Timestamp("1970-01-01T00:00:00.1234567890123456789Z") == Timestamp(microseconds: 123_456))
  }

  @Test(arguments: [
    "", "Z", "2026-12-24", "2026-12-24T09:00", "2026-12-24T09:00:00", "2026-12-24 09:00:00Z", "2026-13-01T00:00:00Z",
    "2026-02-29T00:00:00Z", "2026-12-24T24:00:00Z", "2026-12-24T09:60:00Z", "2026-12-24T09:00:00+0900",
    "2026-12-24T09:00:00.Z", "12026-12-31T23:59:59Z", "2026-12-24T09:00:00Zulu", "+09:00",
  ])
  func `what is no moment is refused`(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test(arguments: [
    ("1969-12-31T23:59:59Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800), ("0000-03-01T00:00:00Z", -62_162_035_200),
    ("9999-12-31T23:59:59Z", 253_402_300_799), ("2026-12-24t00:00:00z", 1_798_070_400),
  ])
  func `a moment may lie in any year of four digits`(text: String, seconds: Int64) {
    #expect(Timestamp(text) == Timestamp(seconds: seconds))
  }

  @Test func `wall times before computers counted time are refused`() {
    #expect(LocalTime("1970-01-01T00:00") != nil)
    #expect(LocalTime("1969-12-31T23:59") == nil)
    #expect(LocalTime("0000-01-01T00:00") == nil)
  }

  @Test func `leap days exist in leap years only`() {
    #expect(CalendarDate("2024-02-29") != nil)
    #expect(CalendarDate("2000-02-29") != nil)
    #expect(CalendarDate("2100-02-29") == nil)
    #expect(CalendarDate("2026-04-31") == nil)
    #expect(CalendarDate("2026-00-01") == nil)
    #expect(CalendarDate("2026-01-00") == nil)
  }

  @Test func `wall times are written as they are read`() throws {
    #expect(try #require(LocalTime("2026-12-24T09:00")).text == "2026-12-24T09:00:00")
    #expect(try #require(LocalTime("2026-12-24T09:00:07")).text == "2026-12-24T09:00:07")
    for text in ["2026-12-24T9:00", "2026-12-24T09:00Z", "2026-12-24T09", "2026-12-24T09:00:00:00", "T"] {
      #expect(LocalTime(text) == nil, "\(text)")
    }
  }

  @Test func `days are ordered`() throws {
    let first = try #require(CalendarDate("2026-12-31"))
    #expect(try first < #require(CalendarDate("2027-01-01")))
    #expect(try !(first < #require(CalendarDate("2026-12-31"))))
  }
}
