/// Answers a server's requests. Called on the loop's thread.
package protocol RequestHandler: AnyObject {
  /// Answers `request` through `responder`, now or later. `request` is valid only until this returns.
  func handle(_ request: Request, _ responder: Responder)

  /// Whether the caller must be authenticated before the body is read. Called when the head is complete and the body is
  /// chunked or longer than `HTTPLimits.unaskedBodyBytes`. After true the client waits, with no more of its body
  /// accepted than a socket holds, until either `ticket.goOn()`, which leads to the two calls below, or an answer,
  /// which ends the connection.
  func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool

  /// The most body bytes this request may bring, at least `HTTPLimits.unaskedBodyBytes`. Called when the head is
  /// complete and the body is chunked or longer than that, before any of it is read: uploads may get more than
  /// `standard`, small calls less.
  func bodyLimit(for request: Request, standard: Int) -> Int

  /// Whether a body that may exceed the standard is spooled to a file as it arrives. Called after `bodyLimit`. The body
  /// is then `spooled` of `owned()`, and not in memory.
  func spoolsBody(of request: Request) -> Bool
}

extension RequestHandler {
  package func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool { false }

  package func bodyLimit(for request: Request, standard: Int) -> Int { standard }

  package func spoolsBody(of request: Request) -> Bool { false }
}
