import Reactor
import Testing

@testable import API

@Suite struct RefusalsTests {
  private let clock = ManualClock()
  private let loop: EventLoop
  private let refusals: DelayedRefusals

  init() throws {
    loop = try EventLoop(clock: clock)
    refusals = DelayedRefusals(loop)
  }

  private func pass(_ time: Duration) {
    clock.advance(by: time)
    for _ in 0..<3 { loop.turn(atMost: .zero) }
  }

  @Test func `whoever finds no room is told so after a moment, in order, once`() {
    var told: [Int] = []
    for number in 0..<3 { refusals.hold { told.append(number) } }
    pass(DeviceLimits.refusalPause - .milliseconds(1))
    #expect(told.isEmpty)
    pass(.milliseconds(1))
    #expect(told == [0, 1, 2])
    pass(.seconds(10))
    #expect(told == [0, 1, 2])
  }

  @Test func `whoever asks again at once waits again`() {
    var told = 0
    func ask() {
      refusals.hold {
        told += 1
        ask()
      }
    }
    ask()
    for round in 1...3 {
      pass(DeviceLimits.refusalPause)
      #expect(told == round)
    }
  }

  @Test func `when too many are held the next one is told at once`() {
    var told = 0
    for _ in 0..<DeviceLimits.heldRefusals { refusals.hold { told += 1 } }
    #expect(told == 0)
    refusals.hold { told += 1 }
    #expect(told == 1)
    pass(DeviceLimits.refusalPause)
    #expect(told == DeviceLimits.heldRefusals + 1)
  }
}
