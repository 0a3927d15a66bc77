/// Threads, loops, inboxes, sockets and clocks: the ground that every server part stands on.
///
/// **One rule:** an object lives on the thread that made it. A few named threads each run an `EventLoop` (or a blocking
/// loop over an `Inbox`) and own whatever they create; classes here are not `Sendable`, so the compiler proves that
/// they stay home. Values cross between threads only through an `Inbox`, in batches, with one wake-up per batch.
///
/// ```
///   thread "http-0"                                   thread "complete"
///   ┌───────────────────────────────┐                 ┌──────────────────────────┐
///   │ EventLoop                     │   Inbox<T>      │ while inbox.receive(…) { │
///   │   Poller   (epoll)            │ ───────────────►│   one batch, one commit  │
///   │   Timers   (a heap)           │  bounded, mutex │ }                        │
///   │   handlers (fd → object)      │  + eventfd      └──────────────────────────┘
///   └───────────────────────────────┘
/// ```
///
/// One turn of a loop: wait in epoll → call the handlers that are ready → drain inboxes → fire due timers → call the
/// end-of-turn hooks (where batches are flushed and each connection sends once).
///
/// Failure: a system call that fails for a reason outside the program is a `SystemError`; one that can only fail
/// through our own mistake (closing a foreign descriptor) traps.
package enum Reactor {
  /// Numbers of this module: unit, reason, source.
  package enum Limits {
    /// Linux keeps 16 bytes with the terminator for a thread's name (`pthread_setname_np(3)`).
    package static let threadNameBytes = 15
    /// Events taken from epoll in one turn: enough that 256 busy connections need one call, small enough to stay in cache.
    package static let eventsPerTurn = 512
    /// Cancelled timers kept at least before they are swept out: below this a sweep is not worth its walk. 64 × 16 bytes.
    package static let cancelledTimers = 64
    /// How many connections may wait in the kernel for `accept` (`listen(2)`, capped by `net.core.somaxconn`).
    package static let listenBacklog: Int32 = 4096
  }
}
