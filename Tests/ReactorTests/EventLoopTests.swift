import Glibc
import Reactor
import Testing

/// Counts its calls and does as told.
private final class Probe: EventLoop.Handler {
  var calls = 0
  var last: Readiness = []
  var action: () -> Void = {}

  func ready(_ readiness: Readiness) {
    calls += 1
    last = readiness
    action()
  }
}

@Suite struct EventLoopTests {
  @Test func `a ready descriptor calls its handler, and again until the cause is gone`() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup()
    let probe = Probe()
    _ = try loop.register(wakeup.descriptor, interest: .readable, handler: probe)
    loop.turn(atMost: .zero)
    #expect(probe.calls == 0)
    wakeup.signal()
    loop.turn(atMost: .seconds(10))
    loop.turn(atMost: .seconds(10))
    #expect(probe.calls == 2)
    #expect(probe.last.contains(.readable))
    wakeup.drain()
    loop.turn(atMost: .zero)
    #expect(probe.calls == 2)
  }

  @Test func `interest can change, also to nothing`() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup()
    let probe = Probe()
    let registration = try loop.register(wakeup.descriptor, interest: .writable, handler: probe)
    loop.turn(atMost: .zero)
    #expect(probe.last == .writable)
    loop.update(registration, interest: [])
    loop.turn(atMost: .zero)
    #expect(probe.calls == 1)
    wakeup.signal()
    loop.update(registration, interest: [.readable, .writable])
    loop.turn(atMost: .zero)
    #expect(probe.last == [.readable, .writable])
  }

  @Test func `a deregistered descriptor is silent and its handler let go`() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup()
    weak var seen: Probe?
    do {
      let probe = Probe()
      seen = probe
      let registration = try loop.register(wakeup.descriptor, interest: .readable, handler: probe)
      wakeup.signal()
      loop.deregister(registration)
      loop.deregister(registration)
      loop.turn(atMost: .zero)
      #expect(probe.calls == 0)
    }
    #expect(seen == nil)
  }

  @Test func `a handler may deregister itself while it is called`() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup()
    let probe = Probe()
    let registration = try loop.register(wakeup.descriptor, interest: .readable, handler: probe)
    probe.action = { loop.deregister(registration) }
    wakeup.signal()
    loop.turn(atMost: .zero)
    loop.turn(atMost: .zero)
    #expect(probe.calls == 1)
  }

  @Test func `an event of this turn is not delivered to whoever took the slot over`() throws {
    let loop = try EventLoop()
    let wakeups = [try Wakeup(), try Wakeup()]
    let idle = try Wakeup()
    let probes = [Probe(), Probe()]
    let successor = Probe()
    let registrations = try zip(wakeups, probes).map {
      try loop.register($0.descriptor, interest: .readable, handler: $1)
    }
    // Whichever is called first closes both and reuses their slots for a descriptor with nothing to say.
    for probe in probes {
      probe.action = {
        for registration in registrations { loop.deregister(registration) }
        _ = try! loop.register(idle.descriptor, interest: .readable, handler: successor)
      }
    }
    for wakeup in wakeups { wakeup.signal() }
    loop.turn(atMost: .seconds(10))
    #expect(probes.map(\.calls).reduce(0, +) == 1)
    #expect(successor.calls == 0)
    idle.signal()
    loop.turn(atMost: .seconds(10))
    #expect(successor.calls == 1)
  }

  @Test func `a stale registration can neither change nor remove its successor`() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup()
    let first = try loop.register(wakeup.descriptor, interest: .readable, handler: Probe())
    loop.deregister(first)
    let probe = Probe()
    let second = try loop.register(wakeup.descriptor, interest: .readable, handler: probe)
    #expect(first != second)
    loop.update(first, interest: [])
    loop.deregister(first)
    wakeup.signal()
    loop.turn(atMost: .seconds(10))
    #expect(probe.calls == 1)
  }

  @Test func `a descriptor that cannot be watched is an error and leaves no trace`() throws {
    let loop = try EventLoop()
    let probe = Probe()
    #expect(throws: SystemError.self) { _ = try loop.register(-1, interest: .readable, handler: probe) }
    let wakeup = try Wakeup()
    _ = try loop.register(wakeup.descriptor, interest: .readable, handler: probe)
    #expect {
      _ = try loop.register(wakeup.descriptor, interest: .readable, handler: Probe())
    } throws: {
      ($0 as? SystemError)?.code == EEXIST
    }
    wakeup.signal()
    loop.turn(atMost: .seconds(10))
    #expect(probe.calls == 1)
  }

  @Test func `more descriptors than one turn takes are all served`() throws {
    let loop = try EventLoop()
    let wakeups = try (0..<600).map { _ in try Wakeup() }
    let probe = Probe()
    for wakeup in wakeups {
      _ = try loop.register(wakeup.descriptor, interest: .readable, handler: probe)
      wakeup.signal()
    }
    // What was served first is still ready, and yet the rest gets its turn.
    loop.turn(atMost: .zero)
    #expect(probe.calls == Reactor.Limits.eventsPerTurn)
    loop.turn(atMost: .zero)
    #expect(probe.calls == 2 * Reactor.Limits.eventsPerTurn)
  }

  // MARK: Inboxes

  @Test func `what waits in an inbox comes in one batch`() throws {
    let loop = try EventLoop()
    let inbox = try Inbox<Int>(capacity: 10)
    var batches: [[Int]] = []
    #expect(inbox.offer(1))
    try loop.attach(inbox) { batches.append($0) }
    #expect(inbox.offer(contentsOf: [2, 3]))
    loop.turn(atMost: .seconds(10))
    loop.turn(atMost: .zero)
    #expect(batches == [[1, 2, 3]])
  }

  @Test func `a closed inbox delivers what waits, says once that it is closed, then is silent`() throws {
    let loop = try EventLoop()
    let inbox = try Inbox<Int>(capacity: 10)
    var batches: [[Int]] = []
    try loop.attach(inbox) { batches.append($0) }
    #expect(inbox.offer(1))
    inbox.close()
    for _ in 0..<5 { loop.turn(atMost: .zero) }
    #expect(batches == [[1], []])
  }

  @Test func `a loop sleeps beside a closed inbox`() throws {
    let clock = SystemClock()
    let loop = try EventLoop(clock: clock)
    let inbox = try Inbox<Int>(capacity: 1)
    try loop.attach(inbox) { _ in }
    inbox.close()
    loop.turn(atMost: .zero)
    let start = clock.now
    loop.turn(atMost: .milliseconds(20))
    #expect(clock.now - start >= .milliseconds(19))
  }

  // MARK: Timers and hooks

  @Test func `a timer fires when its time has come, not before`() throws {
    let clock = ManualClock()
    let loop = try EventLoop(clock: clock)
    var fired = 0
    loop.schedule(after: .seconds(5)) { fired += 1 }
    clock.advance(by: .milliseconds(4999))
    loop.turn(atMost: .zero)
    #expect(fired == 0)
    clock.advance(by: .milliseconds(1))
    loop.turn(atMost: .zero)
    loop.turn(atMost: .zero)
    #expect(fired == 1)
  }

  @Test func `a cancelled timer does not fire, even when an earlier one of the same turn cancels it`() throws {
    let clock = ManualClock()
    let loop = try EventLoop(clock: clock)
    var fired: [String] = []
    var second: Timers.ID?
    loop.schedule(after: .seconds(1)) {
      fired.append("first")
      if let second { loop.cancel(second) }
    }
    second = loop.schedule(after: .seconds(2)) { fired.append("second") }
    clock.advance(by: .seconds(3))
    loop.turn(atMost: .zero)
    #expect(fired == ["first"])
  }

  @Test func `a timer that sets itself again without delay lets the turn end`() throws {
    let loop = try EventLoop(clock: ManualClock())
    var fired = 0
    func again() {
      fired += 1
      // The bound keeps a broken loop from spinning for ever: the expectation below tells.
      if fired < 1000 { loop.schedule(after: .zero) { again() } }
    }
    loop.schedule(after: .zero) { again() }
    loop.turn(atMost: .zero)
    #expect(fired == 1)
    loop.turn(atMost: nil)
    #expect(fired == 2)
  }

  @Test func `a loop with nothing to do waits for its timer`() throws {
    let clock = SystemClock()
    let loop = try EventLoop(clock: clock)
    let start = clock.now
    var fired: Instant?
    loop.schedule(after: .milliseconds(10)) {
      fired = loop.now
      loop.stop()
    }
    loop.run()
    #expect(try #require(fired) - start >= .milliseconds(10))
  }

  @Test func `hooks run at the end of every turn, after handlers and timers`() throws {
    let clock = ManualClock()
    let loop = try EventLoop(clock: clock)
    let wakeup = try Wakeup()
    let probe = Probe()
    var order: [String] = []
    probe.action = {
      order.append("handler")
      wakeup.drain()
    }
    _ = try loop.register(wakeup.descriptor, interest: .readable, handler: probe)
    loop.schedule(after: .zero) { order.append("timer") }
    loop.atEndOfTurn { order.append("hook 1") }
    loop.atEndOfTurn { order.append("hook 2") }
    wakeup.signal()
    loop.turn(atMost: .zero)
    loop.turn(atMost: .zero)
    #expect(order == ["handler", "timer", "hook 1", "hook 2", "hook 1", "hook 2"])
  }

  // MARK: Stopping

  @Test func `another thread stops the loop`() throws {
    let loop = try EventLoop()
    let stopper = loop.stopper
    let thread = try Thread(name: "stops") { stopper.stop() }
    loop.run()
    thread.join()
  }

  @Test func `a stop before the loop runs is not lost`() throws {
    let loop = try EventLoop()
    loop.stopper.stop()
    loop.stopper.stop()
    loop.run()
  }
}
