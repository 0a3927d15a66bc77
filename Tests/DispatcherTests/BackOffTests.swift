import Domain
import Reactor
import Testing

@testable import Dispatcher

@Suite struct BackOffTests {
  private static let device = DeviceID(high: 0, low: 1)
  private static let other = DeviceID(high: 0, low: 2)
  private static let start = Instant(nanoseconds: 1_000_000_000)

  @Test func `a device that complains again waits twice as long, up to a quarter of an hour`() {
    var table = DeviceBackoffTable()
    var now = Self.start
    for seconds in [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
      #expect(table.slow(Self.device, at: now, asked: nil, jitter: 0) == .seconds(seconds))
      now = now + .seconds(seconds)
    }
  }

  @Test func `chance adds up to a quarter`() {
    #expect(DeviceBackoffTable.seconds(step: 10, jitter: 1) == 1125)
    #expect(DeviceBackoffTable.seconds(step: 1, jitter: 7) == 2)
    #expect(DeviceBackoffTable.seconds(step: .max, jitter: 0) == 900)
    #expect(DeviceBackoffTable.seconds(step: 0, jitter: -1) == 2)
  }

  @Test func `several messages under way together are one complaint`() {
    var table = DeviceBackoffTable()
    #expect(table.slow(Self.device, at: Self.start, asked: nil, jitter: 0) == .seconds(2))
    let soon = Self.start + .milliseconds(500)
    #expect(table.slow(Self.device, at: soon, asked: nil, jitter: 0) == .milliseconds(1500))
    #expect(table.wait(Self.device, at: soon) == .milliseconds(1500))
  }

  @Test func `a longer wait that the network asks for is kept`() {
    var table = DeviceBackoffTable()
    #expect(table.slow(Self.device, at: Self.start, asked: 60, jitter: 0) == .seconds(60))
    #expect(table.slow(Self.device, at: Self.start, asked: 1, jitter: 0) == .seconds(60))
    #expect(table.slow(Self.device, at: Self.start, asked: 120, jitter: 0) == .seconds(120))
    #expect(table.slow(Self.other, at: Self.start, asked: .max, jitter: 0) == .seconds(30 * 86_400))
  }

  @Test func `nobody else waits, and a message taken ends it`() {
    let backOffs = DeviceBackoffs()
    #expect(!backOffs.isAny(at: Self.start))
    _ = backOffs.slow(Self.device, at: Self.start, asked: nil, jitter: 0)
    #expect(backOffs.isAny(at: Self.start))
    #expect(backOffs.wait(Self.other, at: Self.start) == .zero)
    #expect(backOffs.wait(Self.device, at: Self.start) == .seconds(2))
    #expect(backOffs.wait(Self.device, at: Self.start + .seconds(2)) == .zero)
    #expect(!backOffs.isAny(at: Self.start + .seconds(2)))
    backOffs.end(Self.device)
    #expect(backOffs.slow(Self.device, at: Self.start + .seconds(9), asked: nil, jitter: 0) == .seconds(2))
  }

  @Test func `what is remembered stays bounded`() {
    var table = DeviceBackoffTable()
    for number in 0..<(Limits.backOffDevices + 10) {
      let device = DeviceID(high: 1, low: UInt64(number))
      _ = table.slow(device, at: Self.start + .seconds(number / 1000), asked: nil, jitter: 0)
      #expect(table.count <= Limits.backOffDevices)
    }
  }
}
