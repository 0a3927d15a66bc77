/// Whoever answers requests. Called on the loop's thread.
package protocol RequestHandler: AnyObject {
  /// Answers `request` through `responder`, now or later. `request` is valid only until this returns.
  func handle(_ request: Request, _ responder: Responder)

  /// Whether nothing of the body may come before it is known who asks. Asked when the head is there and the body is chunked
  /// or longer than `HTTPLimits.unaskedBodyBytes`. After true the client waits, and of its body no more is read than a socket holds: until
  /// `ticket.goOn()`, when the two questions below are asked, or an answer, which ends the connection.
  func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool

  /// The most body bytes this request may bring, `HTTPLimits.unaskedBodyBytes` at least. Asked when the head is there and
  /// the body is chunked or longer than that, before any of it is awaited: uploads can be given more than `standard`, and
  /// calls that carry little less.
  func bodyLimit(for request: Request, standard: Int) -> Int

  /// Whether a body about which `bodyLimit` was asked, and that may be longer than the standard, goes to a file as it comes.
  /// Its request then has it as `spooled` of `owned()`, and nothing in memory.
  func spoolsBody(of request: Request) -> Bool
}

extension RequestHandler {
  package func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool { false }

  package func bodyLimit(for request: Request, standard: Int) -> Int { standard }

  package func spoolsBody(of request: Request) -> Bool { false }
}
