/// Threads, loops, inboxes, sockets and clocks: the foundation of every part of the server.
///
/// **One rule:** an object lives on the thread that created it. A few named threads each run an `EventLoop` (or a
/// blocking loop over an `Inbox`) and own whatever they create; most classes are not `Sendable`, so the compiler proves
/// that they never leave their thread. Values cross between threads through an `Inbox`, in batches, with one wake-up
/// per batch; the few objects that threads share are `Sendable` classes with a lock or atomics.
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
/// One iteration of a loop: wait in epoll → call the handlers of ready descriptors and inboxes → fire due timers → call
/// the end-of-iteration hooks (where batches are flushed and each connection sends once).
///
/// Failure: a system call that fails for a reason outside the program throws a `SystemError`; one that can fail only
/// through a mistake of ours (modifying an unregistered descriptor) traps.
package enum Reactor {
  /// Limits of this module.
  package enum Limits {
    /// Maximum length of a thread name in bytes: Linux stores 16 including the terminator (`pthread_setname_np(3)`).
    static let threadNameBytes = 15
    /// Maximum events taken from epoll per iteration; further ones wait for the next. The array takes 6 KiB (12 bytes
    /// per event on x86-64) and stays in the first-level cache.
    package static let eventsPerTurn = 512
    /// Cancelled timers are removed from the heap when they outnumber the live ones by more than this. 64 entries take
    /// 64 × 16 bytes; removing fewer is not worth the cost.
    static let cancelledTimers = 64
    /// Maximum connections that wait in the kernel for `accept` (`listen(2)`; capped by `net.core.somaxconn`).
    static let listenBacklog: Int32 = 4096
  }
}
