import Testing

@testable import PushTransport

@Suite struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", Int64(784_111_777)), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Sat, 21 Nov 2026 06:23:30 GMT", 1_795_242_210),
    ("Sat, 01 Mar 2025 00:00:00 GMT", 1_740_787_200), ("Mon, 31 Dec 2125 12:00:00 GMT", 4_922_856_000),
  ])
  func `a date is read`(_ text: String, _ seconds: Int64) {
    #expect(HTTPDate.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 \(String(repeating: " ", count: 60))GMT",
  ])
  func `anything else is not`(_ text: String) {
    #expect(HTTPDate.seconds(text) == nil)
  }

  @Test func `Retry-After is a number of seconds or a time`() {
    #expect(HTTPDate.retryAfter("120", now: 0) == 120)
    #expect(HTTPDate.retryAfter("-5", now: 0) == 0)
    #expect(HTTPDate.retryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_700) == 77)
    #expect(HTTPDate.retryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_999) == 0)
    #expect(HTTPDate.retryAfter("soon", now: 0) == nil)
    for endless in ["86401", "9223372036854775807", "Fri, 31 Dec 9999 23:59:59 GMT"] {
      #expect(HTTPDate.retryAfter(endless, now: 0) == 86_400)
    }
    #expect(HTTPDate.retryAfter("86400", now: 0) == 86_400)
    #expect(HTTPDate.retryAfter("9223372036854775808", now: 0) == nil)
  }
}
