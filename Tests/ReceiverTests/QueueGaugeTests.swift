import Operations
import Testing

@testable import Receiver

@Suite struct QueueGaugeTests {
  private let batch = Operations.Limits.batchOperations

  private func gauge(_ milliseconds: Int) -> QueueGauge {
    var gauge = QueueGauge()
    gauge.batchTook(.milliseconds(milliseconds))
    return gauge
  }

  @Test func `what fits into the next batch is never too much, however slow the last one was`() {
    #expect(!gauge(10_000).isTooLong(behind: 0))
    #expect(!gauge(10_000).isTooLong(behind: batch - 1))
  }

  @Test func `at ten milliseconds a batch two full ones may wait, and no third`() {
    #expect(!gauge(10).isTooLong(behind: batch))
    #expect(!gauge(10).isTooLong(behind: 3 * batch - 1))
    #expect(gauge(10).isTooLong(behind: 3 * batch))
  }

  @Test func `a slow batch lets nobody wait behind a full one`() {
    #expect(gauge(16).isTooLong(behind: batch))
  }

  @Test func `before the first batch nobody is refused`() {
    #expect(!QueueGauge().isTooLong(behind: 5_000))
  }
}
