internal import HTTPServer
internal import Reactor
internal import Synchronization

/// The inbox of a thread that writes answers in pieces. It holds answers to begin, and a flag that a client has read
/// everything or disconnected. Any thread may add to it; its owner takes everything.
///
/// It has room for every answer that has a place, however long the thread is busy: answers whose client has
/// disconnected make room, and the flag is the same for any number of clients.
final class StreamInbox: Sendable {
  struct Opening: Sendable {
    let source: StreamSource
    let stream: TicketStream
  }

  private struct State {
    var openings: [Opening] = []
    /// True after a client has read everything written for it, or has disconnected.
    var mustLook = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Readable while something waits, and after `close`.
  private let wakeup: Wakeup
  private let places: Int

  /// Creates an inbox.
  /// - Parameter places: maximum number of open answers.
  init(places: Int) throws(SystemError) {
    self.places = places
    wakeup = try Wakeup()
  }

  /// Adds an answer to begin. Returns false if the server is stopping, or if the number of waiting answers has reached
  /// `places`.
  func open(_ opening: Opening) -> Bool {
    state.withLock { state in
      if state.openings.count >= places { state.openings.removeAll { !$0.stream.isOpen } }
      guard !state.isClosed, state.openings.count < places else { return false }
      state.openings.append(opening)
      wakeup.signal()
      return true
    }
  }

  func look() {
    state.withLock { state in
      if !state.mustLook { wakeup.signal() }
      state.mustLook = true
    }
  }

  /// True after `close`.
  var refusesAll: Bool { state.withLock(\.isClosed) }

  /// Takes everything that waits, in order of arrival. Only the owner may call this.
  func takeAll() -> [Opening] {
    state.withLock { state in
      // Reset while the lock is held, so that the signal for a later addition is not lost.
      if !state.isClosed { wakeup.drain() }
      state.mustLook = false
      defer { state.openings = [] }
      return state.openings
    }
  }

  /// Waits until something arrives, at most for the timeout, and returns the answers to begin.
  func receive(atMost timeout: Duration) -> [Opening] {
    _ = wakeup.wait(atMost: timeout)
    return takeAll()
  }

  /// Refuses further answers and wakes the owner, which can still take the waiting ones.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
