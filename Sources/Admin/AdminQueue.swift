internal import HTTPServer
internal import Reactor
internal import Synchronization

/// One request on its way to a thread.
struct AdminWork: Sendable {
  enum Errand: Sendable {
    /// Routed and answered by the admin API.
    case request(OwnedRequest)
    /// Another door's, which only needs the thread and its connection.
    case job(AdminThreads.Job)
  }

  let errand: Errand
  let ticket: ResponseTicket

  /// Of the body that it keeps in memory.
  var bodyBytes: Int {
    if case .request(let request) = errand { request.body.count } else { 0 }
  }

  init(request: OwnedRequest, ticket: ResponseTicket) {
    self.init(.request(request), ticket: ticket)
  }

  init(_ errand: Errand, ticket: ResponseTicket) {
    self.errand = errand
    self.ticket = ticket
  }
}

/// A bounded queue into several threads: whoever is free takes the oldest request. (An `Inbox` has one owner, who takes
/// all that waits; here a slow request must not hold back those behind it.)
final class AdminQueue: Sendable {
  private struct State {
    var waiting: [AdminWork] = []
    /// Bodies of those that wait.
    var bytes = 0
    var isClosed = false
    /// Whatever waits is refused.
    var isCut = false
  }

  private let capacity: Int
  private let state = Mutex(State())
  /// Readable while requests wait, and from `close` on.
  private let wakeup: Wakeup

  init(capacity: Int) throws(SystemError) {
    self.capacity = capacity
    wakeup = try Wakeup()
  }

  /// True when a request offered now would be refused. A hint: other threads may change it at once.
  var isFull: Bool {
    state.withLock { $0.isClosed || $0.waiting.count >= capacity }
  }

  /// False when the queue is full or closed: the request was not taken.
  func offer(_ work: AdminWork) -> Bool {
    state.withLock { state in
      let bytes = state.bytes + work.bodyBytes
      guard !state.isClosed, state.waiting.count < capacity,
        state.waiting.isEmpty || bytes <= Admin.Limits.waitingBytes
      else { return false }
      state.waiting.append(work)
      state.bytes = bytes
      wakeup.signal()
      return true
    }
  }

  /// Waits for the next request. Nil when the queue is closed and nothing waits any more.
  func take() -> AdminWork? {
    while true {
      let (work, isClosed) = state.withLock { state -> (AdminWork?, Bool) in
        guard !state.waiting.isEmpty else {
          // Under the lock: a signal that comes now belongs to a request that is not there yet.
          if !state.isClosed { wakeup.drain() }
          return (nil, state.isClosed)
        }
        let work = state.waiting.removeFirst()
        state.bytes -= work.bodyBytes
        return (work, false)
      }
      if let work { return work }
      if isClosed { return nil }
      _ = wakeup.wait(atMost: .seconds(60))
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
