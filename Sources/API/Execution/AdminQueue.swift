internal import Domain
internal import HTTPServer
internal import Reactor
internal import Synchronization

/// A bounded queue into several threads: whoever is free takes the request whose turn it is. (An `Inbox` has one owner, who
/// takes all that waits; here a slow request must not hold back those behind it.)
final class AdminQueue: Sendable {
  private struct State {
    var line: FairQueue
    var isClosed = false
    /// Whatever waits is refused.
    var isCut = false
  }

  private let state: Mutex<State>
  /// Readable while a request may be taken, and from `close` on.
  private let wakeup: Wakeup

  init(_ shares: FairQueue.Shares) throws(SystemError) {
    state = Mutex(State(line: FairQueue(shares)))
    wakeup = try Wakeup()
  }

  /// Why a request offered now would be refused; nil when it would not. A hint: other threads may change it at once.
  func refusal(of party: QuotaHolder, bytes: Int = 0) -> Problem? {
    state.withLock { $0.isClosed ? FairQueue.full : $0.line.refusal(of: party, bytes: bytes) }
  }

  /// Nil when the request was taken. Others may have had to give way, and are answered.
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

  /// Waits for the next request; `finish` must follow when it is done. Nil when the queue is closed and nothing waits any
  /// more.
  func take() -> AdminWork? {
    while true {
      let (work, isOver) = state.withLock { state -> (AdminWork?, Bool) in
        // At the end there is nobody left to leave a thread to.
        if let work = state.line.next(ignoringShares: state.isClosed) { return (work, false) }
        // Under the lock: a signal that comes now belongs to a request that is not there yet.
        if !state.isClosed { wakeup.drain() }
        return (nil, state.isClosed)
      }
      if let work { return work }
      if isOver { return nil }
      _ = wakeup.wait(atMost: .seconds(60))
    }
  }

  /// A request that was taken is done: another one of its caller may begin.
  func finish(_ work: AdminWork) {
    state.withLock { state in
      state.line.finish(work)
      if !state.line.isEmpty { wakeup.signal() }
    }
  }

  /// True when the server has no time left: what waits is not carried out.
  var isCut: Bool { state.withLock(\.isCut) }

  /// Lets whoever takes a request refuse it.
  func cut() {
    state.withLock { $0.isCut = true }
  }

  /// Refuses further requests; what waits is still carried out.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
