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

  /// Begins an answer that this thread writes in pieces. Nil when the server takes no more.
  package func stream(status: Status, headers: [(String, String)]) -> TicketStream? {
    let stream = TicketStream(ticket: self)
    return replies.offer(Reply(ticket: self, event: .begin(stream, status, headers))) ? stream : nil
  }
}

/// A `ResponseStream` for another thread.
package final class TicketStream: Sendable {
  private let ticket: ResponseTicket
  private let ended = Atomic<Bool>(false)

  init(ticket: ResponseTicket) {
    self.ticket = ticket
  }

  /// False when the client has gone, was cut off, or the stream is finished. It may take a turn until this is known.
  package var isOpen: Bool { !ended.load(ordering: .relaxed) }

  /// Adds a piece. False when nobody reads any more, or when the server's inbox is full: then nothing was taken.
  @discardableResult
  package func write(_ piece: [UInt8]) -> Bool {
    isOpen && ticket.replies.offer(Reply(ticket: ticket, event: .piece(piece)))
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

  func end() {
    ended.store(true, ordering: .relaxed)
  }
}

/// One answer, or a part of one, on its way to the server's thread.
package struct Reply: Sendable {
  enum Event: Sendable {
    case response(Response)
    case begin(TicketStream, Status, [(String, String)])
    case piece([UInt8])
    case end
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
