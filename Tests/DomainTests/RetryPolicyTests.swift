import Testing

@testable import Domain

@Suite struct RetryPolicyTests {
  @Test func `quick tries come first, then a quarter of an hour, doubling up to four hours`() {
    #expect(
      (1...9).map { RetryPolicy.delaySeconds(attempts: $0, jitter: 0) }
        == [1, 5, 30, 900, 1800, 3600, 7200, 14_400, 14_400])
  }

  @Test func `jitter adds up to a tenth, only to slow tries`() {
    #expect(RetryPolicy.delaySeconds(attempts: 1, jitter: 1) == 1)
    #expect(RetryPolicy.delaySeconds(attempts: 4, jitter: 1) == 990)
    #expect(RetryPolicy.delaySeconds(attempts: 4, jitter: 0.5) == 945)
  }

  @Test func `numbers that make no sense do no harm`() {
    #expect(RetryPolicy.delaySeconds(attempts: 0, jitter: 0) == 1)
    #expect(RetryPolicy.delaySeconds(attempts: .max, jitter: 7) == 14_400 + 1440)
    #expect(RetryPolicy.delaySeconds(attempts: 4, jitter: -3) == 900)
  }
}
