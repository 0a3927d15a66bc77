import Testing

@testable import API

@Suite struct QueueGaugeTests {
  private let always = DeviceLimits.waitingAlways

  private func gauge(_ milliseconds: Int, _ operations: Int) -> QueueGauge {
    var gauge = QueueGauge()
    gauge.batchTook(.milliseconds(milliseconds), operations: operations)
    return gauge
  }

  @Test func `a few may always wait, however slow the last batch was`() {
    #expect(!gauge(10_000, 10).isTooLong(behind: 0))
    #expect(!gauge(10_000, 10).isTooLong(behind: always - 1))
    #expect(gauge(10_000, 10).isTooLong(behind: always))
  }

  @Test func `at five milliseconds for five hundred, a thousand may be behind them`() {
    #expect(!gauge(5, 500).isTooLong(behind: 999))
    #expect(gauge(5, 500).isTooLong(behind: 1_000))
  }

  @Test func `a slow machine lets fewer wait`() {
    #expect(!gauge(5, 250).isTooLong(behind: 499))
    #expect(gauge(5, 250).isTooLong(behind: 500))
    #expect(gauge(25, 1_000).isTooLong(behind: always))
  }

  @Test func `a commit of a few says nothing of what each of many takes`() {
    #expect(!gauge(2, 1).isTooLong(behind: 8_000))
    #expect(!gauge(2, DeviceLimits.tellingBatch - 1).isTooLong(behind: 8_000))
    #expect(gauge(2, DeviceLimits.tellingBatch).isTooLong(behind: 8_000))
  }

  @Test func `before the first batch nobody is refused`() {
    #expect(!QueueGauge().isTooLong(behind: 5_000))
  }
}
