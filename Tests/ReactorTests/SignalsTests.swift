import Glibc
import Reactor
import Testing

@Suite struct SignalsTests {
  @Test func `signals are taken one at a time and named`() throws {
    let received = try Inbox<Signals.Received>(capacity: 10)
    // A thread of its own: blocking and sending concern that thread only.
    let thread = try Thread(name: "signals") {
      Signals.block()
      for number in [SIGTERM, SIGHUP, SIGINT] {
        pthread_kill(pthread_self(), number)
        _ = received.offer(Signals.wait())
      }
    }
    thread.join()
    #expect(received.takeAll() == [.stop, .reload, .stop])
  }

  @Test func `a thread that unblocks them has none blocked`() throws {
    let blocked = try Inbox<Int32>(capacity: 10)
    let thread = try Thread(name: "signals") {
      Signals.block()
      Signals.unblock()
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      for number in [SIGTERM, SIGHUP, SIGINT] where sigismember(&mask, number) == 1 { _ = blocked.offer(number) }
    }
    thread.join()
    #expect(blocked.takeAll() == [])
  }
}
