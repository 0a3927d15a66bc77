import Testing
import Time

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_795_230_519_123_999, "2026-11-21T03:08:39.123Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999_999, "2000-02-29T23:59:59.999Z"),
      (4_107_542_399_000_000, "2100-02-28T23:59:59.000Z"), (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (-62_135_596_800_000_000, "0001-01-01T00:00:00.000Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func `a time is written in UTC, cut to milliseconds`(microseconds: Int64, text: String) {
    #expect(Timestamp(microseconds: microseconds).description == text)
  }

  @Test func `seconds and milliseconds are rounded down, before 1970 too`() {
    let times = [1_999_999, -1, -1_000_000, -1_000_001].map { Timestamp(microseconds: $0) }
    #expect(times.map(\.seconds) == [1, -1, -1, -2])
    #expect(times.map(\.milliseconds) == [1_999, -1, -1_000, -1_001])
  }

  @Test func `times and durations are added and subtracted`() {
    let time = Timestamp(seconds: 100)
    #expect(time + .milliseconds(1_500) == Timestamp(milliseconds: 101_500))
    #expect(time - .seconds(101) == Timestamp(seconds: -1))
    #expect(time - Timestamp(seconds: 160) == .seconds(-60))
    #expect(time + .nanoseconds(999) == time)
    var later = time
    later += .seconds(2)
    later -= .seconds(1)
    #expect(later == Timestamp(seconds: 101) && later > time)
  }

  @Test func `what is too large becomes the last time, or the first`() {
    #expect(Timestamp(seconds: .max) == .max && Timestamp(milliseconds: .min) == .min)
    #expect(Timestamp.max + .seconds(1) == .max && Timestamp.min - .seconds(1) == .min)
    #expect(Timestamp.zero + .seconds(Int64.max) == .max)
    #expect(Timestamp.max - Timestamp.min == .microseconds(Int64.max))
  }
}
