import Reactor
import TestSupport
import Testing

@Suite struct WakeupTests {
  @Test func `a signal is kept until it is drained, however many there were`() throws {
    let wakeup = try Wakeup()
    for _ in 0..<1000 { wakeup.signal() }
    #expect(wakeup.wait(atMost: .zero))
    #expect(wakeup.wait(atMost: .zero))
    wakeup.drain()
    #expect(!wakeup.wait(atMost: .zero))
  }

  @Test func `draining without a signal does not block`() throws {
    let wakeup = try Wakeup()
    wakeup.drain()
    #expect(!wakeup.wait(atMost: .zero))
  }

  @Test func `waiting ends when the time is over`() throws {
    let clock = SystemClock()
    let start = clock.now
    #expect(try !Wakeup().wait(atMost: .milliseconds(10)))
    #expect(clock.now - start >= .milliseconds(10))
  }

  @Test(.timeLimit(.minutes(30))) func `a time that is already over does not wait at all`() throws {
    #expect(try !Wakeup().wait(atMost: .seconds(-5)))
    #expect(try Inbox<Int>(capacity: 1).receive(atMost: .seconds(-5)) == [])
  }

  @Test func `another thread ends the wait`() throws {
    let wakeup = try Wakeup()
    let thread = try Thread(name: "signals") { wakeup.signal() }
    #expect(wakeup.wait(atMost: .patience))
    thread.join()
  }
}
