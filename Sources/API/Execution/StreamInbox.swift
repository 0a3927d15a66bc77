internal import HTTPServer
internal import Reactor
internal import Synchronization

/// What a thread that writes answers in pieces is told: which to begin, and that some client has read or gone. Any thread
/// tells, the owner takes all.
///
/// It holds every answer that has a place, however long its thread sits in a statement: whoever has gone meanwhile makes
/// room, and any number of looks is one.
final class StreamInbox: Sendable {
  struct Opening: Sendable {
    let source: StreamSource
    let stream: TicketStream
  }

  private struct State {
    var openings: [Opening] = []
    /// Some client has read all that was written for it, or has gone.
    var mustLook = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Readable while something was told, and from `close` on.
  private let wakeup: Wakeup
  private let places: Int

  /// - Parameter places: answers that may be open at one time.
  init(places: Int) throws(SystemError) {
    self.places = places
    wakeup = try Wakeup()
  }

  /// False when the server stops, or more are open than have places.
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

  /// Takes all that waits, in the order in which it came. Only the owner calls this.
  func takeAll() -> [Opening] {
    state.withLock { state in
      // Under the lock: a signal that comes now belongs to something that is not there yet.
      if !state.isClosed { wakeup.drain() }
      state.mustLook = false
      defer { state.openings = [] }
      return state.openings
    }
  }

  /// Waits until something was told, or the time is over.
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
