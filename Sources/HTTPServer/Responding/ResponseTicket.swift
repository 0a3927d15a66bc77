package import Reactor
internal import Synchronization

/// A `Responder` that may travel: another thread answers through the inbox of the server that issued it.
package struct ResponseTicket: Sendable {
  /// Where replies to this ticket go. Offer a batch of them at once to wake the server once.
  package let replies: Inbox<Reply>
  let slot: Int
  let connection: UInt64
  let serial: UInt64

  /// Answers. False when the server has stopped, or when more answers wait than it has connections.
  @discardableResult
  package func send(_ response: Response) -> Bool {
    replies.offer(Reply(ticket: self, response: response))
  }

  /// Lets the body come of a request whose handler held it. False as for `send`.
  @discardableResult
  package func goOn() -> Bool {
    replies.offer(Reply(ticket: self, event: .goOn))
  }

  /// Begins an answer that this thread writes in pieces. Nil when the server takes no more.
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

/// A `ResponseStream` for another thread.
package final class TicketStream: Sendable {
  private let ticket: ResponseTicket
  private let ended = Atomic<Bool>(false)
  private let whenDrained: (@Sendable () -> Void)?
  private let whenEnded: (@Sendable () -> Void)?
  /// Pieces that were written here and have not been sent yet; and those of them that the connection has taken.
  private let unsent = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  init(
    ticket: ResponseTicket, drained: (@Sendable () -> Void)? = nil, ended: (@Sendable () -> Void)? = nil
  ) {
    self.ticket = ticket
    whenDrained = drained
    whenEnded = ended
  }

  /// False when the client has gone, was cut off, or the stream is finished. It may take a turn until this is known.
  package var isOpen: Bool { !ended.load(ordering: .relaxed) }

  /// True when all that was written has been sent: a source that can produce faster than its client reads waits for this
  /// before the next piece.
  package var isDrained: Bool { unsent.load(ordering: .acquiring) == 0 }

  /// Adds a piece. False when nobody reads any more, or when the server's inbox is full: then nothing was taken.
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

  /// Breaks the answer off, so that its reader does not take it for a whole one.
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

/// One answer, or a part of one, on its way to the server's thread.
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
