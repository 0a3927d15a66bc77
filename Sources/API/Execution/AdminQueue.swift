internal import Domain
internal import HTTPServer
internal import Reactor
internal import Synchronization

/// A bounded queue from which several threads take one request at a time, in the order of `FairQueue`. (An `Inbox` has
/// a single owner that takes everything at once; here a slow request must not delay those behind it.) Callable from any
/// thread.
final class AdminQueue: Sendable {
  private struct State {
    var line: FairQueue
    var isClosed = false
    /// True if workers refuse the requests that they take.
    var isCut = false
  }

  private let state: Mutex<State>
  /// Signalled when a request may have become available. Stays readable after `close`.
  private let wakeup: Wakeup

  init(_ shares: FairQueue.Shares) throws(SystemError) {
    state = Mutex(State(line: FairQueue(shares)))
    wakeup = try Wakeup()
  }

  /// Returns the problem with which `offer` would refuse a request now; nil if it would accept the request. Only a
  /// hint, because other threads change the queue meanwhile.
  /// - Parameter bytes: size of the request's body in memory.
  func refusal(of party: QuotaHolder, bytes: Int = 0) -> Problem? {
    state.withLock { $0.isClosed ? FairQueue.full : $0.line.refusal(of: party, bytes: bytes) }
  }

  /// Adds a request. Returns the problem if the request was refused, because the queue is closed or full or a quota is
  /// used up; the caller must answer it then. Returns nil if it was accepted. Answers the waiting requests that it
  /// displaces with `.busy`.
  func offer(_ work: AdminWork) -> Problem? {
    let outcome = state.withLock { state -> FairQueue.Outcome in
      guard !state.isClosed else { return .refused(FairQueue.full) }
      wakeup.signal()
      return state.line.enter(work)
    }
    switch outcome {
    case .entered: return nil
    case .refused(let problem): return problem
    case .enteredInstead(let former):
      for work in former { work.refuse(FairQueue.full) }
      return nil
    }
  }

  /// Blocks until a request may begin, and returns it; nil when the queue is closed and empty. After `close`, thread
  /// quotas are ignored. The caller must call `finish` when the request is done.
  func take() -> AdminWork? {
    while true {
      let (work, isOver) = state.withLock { state -> (AdminWork?, Bool) in
        // After `close` no new requests arrive, so no thread needs to be kept free for them.
        if let work = state.line.next(ignoringShares: state.isClosed) { return (work, false) }
        // Reset while the lock is held, so that the signal for a request queued later is not lost.
        if !state.isClosed { wakeup.drain() }
        return (nil, state.isClosed)
      }
      if let work { return work }
      if isOver { return nil }
      _ = wakeup.wait(atMost: .seconds(60))
    }
  }

  /// Records that a request returned by `take` is done, so that a request that waits for a quota of threads may begin.
  func finish(_ work: AdminWork) {
    state.withLock { state in
      state.line.finish(work)
      if !state.line.isEmpty { wakeup.signal() }
    }
  }

  /// True after `cut`: workers must refuse the requests that they take instead of carrying them out.
  var isCut: Bool { state.withLock(\.isCut) }

  /// Makes workers refuse all requests that they take from now on. New requests still enter until `close`.
  func cut() {
    state.withLock { $0.isCut = true }
  }

  /// Refuses further requests with `.busy`. Those that wait are still taken; then `take` returns nil.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
