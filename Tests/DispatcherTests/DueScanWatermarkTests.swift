import TestSupport
import Testing
import Time

@testable import Dispatcher

@Suite struct DueScanWatermarkTests {
  private static let now: Timestamp = 1_800_000_000_000_000
  private static let paused = DueScanWatermark.Held(apps: [1], messages: [7])

  @Test func `what was found held is passed over until something is resumed`() {
    var start = DueScanWatermark()
    #expect(start.begin(at: Self.now, held: Self.paused) == 0)
    start.passed(Self.now)
    let later = Self.now + .milliseconds(200)
    #expect(start.begin(at: later, held: Self.paused) == Self.now - Limits.heldMargin)
    #expect(
      start.begin(at: later, held: DueScanWatermark.Held(apps: [1, 2], messages: [7])) > 0,
      "one more is held: nothing is freed"
    )
    #expect(start.begin(at: later, held: DueScanWatermark.Held(apps: [2], messages: [7])) == 0, "app 1 was resumed")
    start.passed(later)
    #expect(start.begin(at: later, held: DueScanWatermark.Held(apps: [2])) == 0, "message 7 was resumed")
  }

  @Test func `a look that did not get to the end begins there again`() {
    var start = DueScanWatermark()
    _ = start.begin(at: Self.now, held: Self.paused)
    #expect(start.begin(at: Self.now + .microseconds(1), held: Self.paused) == 0)
  }

  @Test func `everything is looked at again after a while, and when the clock was put back`() {
    var start = DueScanWatermark()
    _ = start.begin(at: Self.now, held: Self.paused)
    start.passed(Self.now)
    #expect(start.begin(at: Self.now + Limits.heldLookInterval, held: Self.paused) > 0)
    #expect(start.begin(at: Self.now + Limits.heldLookInterval + .microseconds(1), held: Self.paused) == 0)
    start.passed(Self.now)
    #expect(start.begin(at: Self.now - .microseconds(1), held: Self.paused) == 0)
  }
}
