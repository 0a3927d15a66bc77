package import Reactor

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
}

/// One answer on its way to the server's thread.
package struct Reply: Sendable {
  package let ticket: ResponseTicket
  package let response: Response

  package init(ticket: ResponseTicket, response: Response) {
    self.ticket = ticket
    self.response = response
  }
}
