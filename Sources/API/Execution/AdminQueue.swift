internal import Domain
internal import HTTPServer
internal import Reactor
internal import Synchronization

/// A bounded queue into several threads: a free thread takes the request whose turn it is. (An `Inbox` has one owner,
/// who takes all that waits; here a slow request must not hold up those behind it.)
final class AdminQueue: Sendable {
  private struct State {
    var line: FairQueue
    var isClosed = false
    /// What waits is refused, not carried out.
    var isCut = false
  }

  private let state: Mutex<State>
  /// Readable while a request may be taken, and from `close` on.
  private let wakeup: Wakeup

  init(_ shares: FairQueue.Shares) throws(SystemError) {
    state = Mutex(State(line: FairQueue(shares)))
    wakeup = try Wakeup()
  }

  /// Why a request offered now would be refused; nil if it would not. Only a hint: other threads may change it at once.
  func refusal(of party: QuotaHolder, bytes: Int = 0) -> Problem? {
    state.withLock { $0.isClosed ? FairQueue.full : $0.line.refusal(of: party, bytes: bytes) }
  }

  /// Returns nil when the request was taken. Requests that had to give way are answered here.
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

  /// Waits for the next request; the caller must call `finish` when it is done. Nil when the queue is closed and empty.
  func take() -> AdminWork? {
    while true {
      let (work, isOver) = state.withLock { state -> (AdminWork?, Bool) in
        // After `close` no thread needs to be left free for others.
        if let work = state.line.next(ignoringShares: state.isClosed) { return (work, false) }
        // Under the lock: a signal that comes now belongs to a request not queued yet.
        if !state.isClosed { wakeup.drain() }
        return (nil, state.isClosed)
      }
      if let work { return work }
      if isOver { return nil }
      _ = wakeup.wait(atMost: .seconds(60))
    }
  }

  /// Ends a request that `take` returned, so that another of its caller may begin.
  func finish(_ work: AdminWork) {
    state.withLock { state in
      state.line.finish(work)
      if !state.line.isEmpty { wakeup.signal() }
    }
  }

  /// True when the server has no time left: what waits is not carried out.
  var isCut: Bool { state.withLock(\.isCut) }

  /// Makes workers refuse the requests they take.
  func cut() {
    state.withLock { $0.isCut = true }
  }

  /// Refuses further requests; waiting ones are still carried out.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
