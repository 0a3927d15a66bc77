package import Reactor
internal import Synchronization

/// A `Responder` for other threads, which answers through the inbox of its server.
package struct ResponseTicket: Sendable {
  /// Inbox for replies to this ticket. Offering several at once wakes the server once.
  package let replies: Inbox<Reply>
  let slot: Int
  let connection: UInt64
  let serial: UInt64

  /// Answers. Returns false when the server has stopped, or its inbox is full.
  @discardableResult
  package func send(_ response: Response) -> Bool {
    replies.offer(Reply(ticket: self, response: response))
  }

  /// Admits the body of a request whose handler held it. Returns false as `send` does.
  @discardableResult
  package func goOn() -> Bool {
    replies.offer(Reply(ticket: self, event: .goOn))
  }

  /// Begins an answer that another thread writes in pieces. Nil when the server accepts no more replies.
  /// - Parameters:
  ///   - drained: called on the server's thread when all that was written so far has been sent.
  ///   - ended: called once, on any thread, when the answer is over or its client has gone.
  package func stream(
    status: Status, headers: [(String, String)], drained: (@Sendable () -> Void)? = nil,
    ended: (@Sendable () -> Void)? = nil
  ) -> TicketStream? {
    let stream = TicketStream(ticket: self, drained: drained, ended: ended)
    return replies.offer(Reply(ticket: self, event: .begin(stream, status, headers))) ? stream : nil
  }
}

/// A `ResponseStream` for other threads.
package final class TicketStream: Sendable {
  private let ticket: ResponseTicket
  private let ended = Atomic<Bool>(false)
  private let whenDrained: (@Sendable () -> Void)?
  private let whenEnded: (@Sendable () -> Void)?
  /// Pieces written here and not sent yet; and those of them that the connection has taken.
  private let unsent = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  init(
    ticket: ResponseTicket, drained: (@Sendable () -> Void)? = nil, ended: (@Sendable () -> Void)? = nil
  ) {
    self.ticket = ticket
    whenDrained = drained
    whenEnded = ended
  }

  /// False when the client has gone or was cut off, or the stream is finished. A change may take a turn to show.
  package var isOpen: Bool { !ended.load(ordering: .relaxed) }

  /// True when all that was written has been sent. A source that can produce faster than its client reads waits for
  /// this before the next piece.
  package var isDrained: Bool { unsent.load(ordering: .acquiring) == 0 }

  /// Adds a piece. Returns false, taking nothing, when the stream is over or the server's inbox is full.
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

  /// Ends the answer.
  package func finish() {
    guard isOpen else { return }
    end()
    _ = ticket.replies.offer(Reply(ticket: ticket, event: .end))
  }

  /// Breaks the answer off, so that its reader does not take it for complete.
  package func abandon() {
    guard isOpen else { return }
    end()
    _ = ticket.replies.offer(Reply(ticket: ticket, event: .abandon))
  }

  /// On the server's thread: the connection has taken a piece.
  func pieceTaken() {
    taken.add(1, ordering: .relaxed)
  }

  /// On the server's thread: what the connection has taken is sent.
  func drained() {
    unsent.subtract(taken.exchange(0, ordering: .relaxed), ordering: .acquiringAndReleasing)
    whenDrained?()
  }

  func end() {
    if !ended.exchange(true, ordering: .relaxed) { whenEnded?() }
  }
}

/// An answer, or a part of one, for the server's thread.
package struct Reply: Sendable {
  enum Event: Sendable {
    case response(Response)
    case goOn
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
