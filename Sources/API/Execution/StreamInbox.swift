internal import HTTPServer
internal import Reactor
internal import Synchronization

/// The inbox of a thread that writes streamed answers: the answers to begin, and a flag that some client has read
/// everything or disconnected. Any thread may add to it; only its owner, that thread, takes from it.
///
/// The inbox has room for every answer with a reserved place, however long the thread is busy. If it is full, the
/// answers of disconnected clients, whose places are free again, are removed. One flag serves any number of clients.
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
  /// Readable while an answer waits or `mustLook` is true, and after `close`.
  private let wakeup: Wakeup
  private let places: Int

  /// Creates an inbox.
  /// - Parameter places: maximum number of waiting answers, which is also that of reserved places.
  init(places: Int) throws(SystemError) {
    self.places = places
    wakeup = try Wakeup()
  }

  /// Adds an answer to begin. Returns false, without adding it, after `close`, or if `places` answers of connected
  /// clients are waiting.
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

  /// Removes and returns the waiting answers, in order of arrival, and clears the flag. Does not wait. Only the owner
  /// may call this.
  func takeAll() -> [Opening] {
    state.withLock { state in
      // Reset while the lock is held, so that the signal for a later addition is not lost.
      if !state.isClosed { wakeup.drain() }
      state.mustLook = false
      defer { state.openings = [] }
      return state.openings
    }
  }

  /// Waits for an answer, the flag, or `close`, at most for the timeout. Then removes and returns the waiting answers,
  /// in order of arrival; empty if there are none. Only the owner may call this.
  func receive(atMost timeout: Duration) -> [Opening] {
    _ = wakeup.wait(atMost: timeout)
    return takeAll()
  }

  /// Refuses further answers, and wakes the owner, which can still take the waiting ones. From now on `receive` does
  /// not wait.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
