package import Reactor
internal import Synchronization

/// A `Responder` for other threads, which answers through the server's inbox.
package struct ResponseTicket: Sendable {
  /// The server's inbox for replies. Offering several replies at once wakes the server only once.
  package let replies: Inbox<Reply>
  let slot: Int
  let connection: UInt64
  let serial: UInt64

  /// Queues a response; the server ignores it if the request is answered already or the client has disconnected.
  /// Returns false, without queueing it, if the server has stopped.
  @discardableResult
  package func send(_ response: Response) -> Bool {
    replies.add(Reply(ticket: self, response: response))
  }

  /// Admits the body of a request whose handler has held it; without effect if the body is not held any more. Returns
  /// false, without admitting it, if the server has stopped.
  @discardableResult
  package func admitBody() -> Bool {
    replies.add(Reply(ticket: self, event: .admitBody))
  }

  /// Starts a response that another thread writes in pieces. Returns nil, and calls none of the closures, if the server
  /// has stopped.
  /// - Parameters:
  ///   - drained: called on the server's thread when all pieces written so far have been sent.
  ///   - ended: called once: on the caller's thread when it finishes or abandons the response, or on the server's
  ///     thread when the connection has closed before, or the request was answered already.
  package func stream(
    status: Status, headers: [(String, String)], drained: (@Sendable () -> Void)? = nil,
    ended: (@Sendable () -> Void)? = nil
  ) -> TicketStream? {
    let stream = TicketStream(ticket: self, drained: drained, ended: ended)
    return replies.add(Reply(ticket: self, event: .begin(stream, status, headers))) ? stream : nil
  }
}

/// A `ResponseStream` for other threads: its pieces reach the connection through the server's inbox.
package final class TicketStream: Sendable {
  private let ticket: ResponseTicket
  private let ended = Atomic<Bool>(false)
  private let whenDrained: (@Sendable () -> Void)?
  private let whenEnded: (@Sendable () -> Void)?
  /// Number of pieces written but not sent.
  private let unsent = Atomic<Int>(0)
  /// Number of unsent pieces that the connection has taken from the inbox.
  private let taken = Atomic<Int>(0)

  init(
    ticket: ResponseTicket, drained: (@Sendable () -> Void)? = nil, ended: (@Sendable () -> Void)? = nil
  ) {
    self.ticket = ticket
    whenDrained = drained
    whenEnded = ended
  }

  /// False once the stream is finished or abandoned, the server has found that the client has disconnected or the
  /// request was answered already, or the server has cut off a slow client.
  package var isOpen: Bool { !ended.load(ordering: .relaxed) }

  /// True if all pieces written have been sent; stays false if the client disconnects before, so check `isOpen` too. A
  /// source that can produce data faster than its client reads should wait for `isDrained` before it writes the next
  /// piece.
  package var isDrained: Bool { unsent.load(ordering: .acquiring) == 0 }

  /// Queues a piece. Returns false, without queueing it, if the stream has ended, the server has stopped or its inbox
  /// is full.
  @discardableResult
  package func write(_ piece: [UInt8]) -> Bool {
    guard isOpen else { return false }
    unsent.add(1, ordering: .acquiringAndReleasing)
    guard ticket.replies.offer(Reply(ticket: ticket, event: .piece(piece, self))) else {
      unsent.subtract(1, ordering: .acquiringAndReleasing)
      return false
    }
    return true
  }

  @discardableResult
  package func write(_ piece: String) -> Bool {
    write(Array(piece.utf8))
  }

  /// Ends the response and calls the closure `ended`; has no effect if the stream has ended.
  package func finish() {
    guard isOpen else { return }
    end()
    _ = ticket.replies.add(Reply(ticket: ticket, event: .end))
  }

  /// Resets the connection, so that the client notices that the response is incomplete, and calls the closure `ended`.
  /// Has no effect if the stream has ended.
  package func abandon() {
    guard isOpen else { return }
    end()
    _ = ticket.replies.add(Reply(ticket: ticket, event: .abandon))
  }

  /// Records that the connection has taken a piece. Called on the server's thread.
  func pieceTaken() {
    taken.add(1, ordering: .relaxed)
  }

  /// Records that all pieces taken so far were sent, and calls `whenDrained`. Called on the server's thread.
  func drained() {
    unsent.subtract(taken.exchange(0, ordering: .relaxed), ordering: .acquiringAndReleasing)
    whenDrained?()
  }

  func end() {
    if !ended.exchange(true, ordering: .relaxed) { whenEnded?() }
  }
}

/// A response, a part of one, or the admission of a body, on its way to the server's thread.
package struct Reply: Sendable {
  enum Event: Sendable {
    case response(Response)
    case admitBody
    case begin(TicketStream, Status, [(String, String)])
    case piece([UInt8], TicketStream)
    case end
    case abandon
  }

  package let ticket: ResponseTicket
  let event: Event

  package init(ticket: ResponseTicket, response: Response) {
    self.init(ticket: ticket, event: .response(response))
  }

  init(ticket: ResponseTicket, event: Event) {
    self.ticket = ticket
    self.event = event
  }
}
