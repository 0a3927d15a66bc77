internal import HTTPServer
internal import Reactor
internal import Synchronization

/// Events for a thread that writes answers in pieces: answers to begin, and that a client has read or left. Any thread
/// posts, the owner takes all.
///
/// It has room for every answer that holds a place, however long its thread is busy with a statement: answers whose
/// client has left make room, and any number of pending looks counts as one.
final class StreamInbox: Sendable {
  struct Opening: Sendable {
    let source: StreamSource
    let stream: TicketStream
  }

  private struct State {
    var openings: [Opening] = []
    /// A client has read all that was written for it, or has left.
    var mustLook = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Readable while an event waits, and from `close` on.
  private let wakeup: Wakeup
  private let places: Int

  /// - Parameter places: most answers open at a time.
  init(places: Int) throws(SystemError) {
    self.places = places
    wakeup = try Wakeup()
  }

  /// Returns false when the server stops, or as many wait as there are places.
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

  /// True from `close` on.
  var refusesAll: Bool { state.withLock(\.isClosed) }

  /// Takes all that waits, in order of arrival. Only the owner calls this.
  func takeAll() -> [Opening] {
    state.withLock { state in
      // Under the lock: a signal that comes now belongs to an event not queued yet.
      if !state.isClosed { wakeup.drain() }
      state.mustLook = false
      defer { state.openings = [] }
      return state.openings
    }
  }

  /// Waits for an event, at most for the timeout.
  func receive(atMost timeout: Duration) -> [Opening] {
    _ = wakeup.wait(atMost: timeout)
    return takeAll()
  }

  /// Refuses further answers and wakes the owner; what waits can still be taken.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
