internal import Domain
internal import HTTPServer
internal import Reactor
internal import Synchronization

/// A bounded queue shared by several threads: a free thread takes the next request in turn. (An `Inbox` has a single
/// owner that takes everything at once; here a slow request must not delay those behind it.)
final class AdminQueue: Sendable {
  private struct State {
    var line: FairQueue
    var isClosed = false
    /// True if waiting requests are refused instead of carried out.
    var isCut = false
  }

  private let state: Mutex<State>
  /// Readable while a request can be taken from the queue, and after `close`.
  private let wakeup: Wakeup

  init(_ shares: FairQueue.Shares) throws(SystemError) {
    state = Mutex(State(line: FairQueue(shares)))
    wakeup = try Wakeup()
  }

  /// Returns the reason why a request would be refused now; nil if it would be accepted. Only a hint, because other
  /// threads may change that at any moment.
  func refusal(of party: QuotaHolder, bytes: Int = 0) -> Problem? {
    state.withLock { $0.isClosed ? FairQueue.full : $0.line.refusal(of: party, bytes: bytes) }
  }

  /// Adds a request. Returns the reason if it was refused; nil if it was accepted. Requests that it displaces are
  /// answered here.
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

  /// Waits for the next request and returns it; nil when the queue is closed and empty. The caller must call `finish`
  /// when the request is done.
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

  /// Records that a request returned by `take` is done, so that another of the same caller may begin.
  func finish(_ work: AdminWork) {
    state.withLock { state in
      state.line.finish(work)
      if !state.line.isEmpty { wakeup.signal() }
    }
  }

  /// True if the server is about to stop and refuses waiting requests.
  var isCut: Bool { state.withLock(\.isCut) }

  /// Makes workers refuse all requests that they take from the queue from now on.
  func cut() {
    state.withLock { $0.isCut = true }
  }

  /// Refuses further requests. Those that wait are still carried out.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
