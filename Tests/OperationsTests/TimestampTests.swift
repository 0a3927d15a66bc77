import Testing

@testable import Operations

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_795_230_519_123_999, "2026-11-21T03:08:39.123Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999_999, "2000-02-29T23:59:59.999Z"),
      (4_107_542_399_000_000, "2100-02-28T23:59:59.000Z"), (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (-62_135_596_800_000_000, "0001-01-01T00:00:00.000Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func `a moment is written in UTC, cut to milliseconds`(microseconds: Int64, text: String) {
    #expect(Timestamp.text(microseconds) == text)
  }
}
