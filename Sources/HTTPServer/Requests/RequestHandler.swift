/// Handles a server's requests. Called on the loop's thread.
package protocol RequestHandler: AnyObject {
  /// Answers `request` through `responder`, immediately or later. `request` is valid only until this returns. Not
  /// called for requests that the server itself refuses.
  func handle(_ request: Request, _ responder: Responder)

  /// Returns whether the client must be authenticated before the body is read. Called when the head is complete and the
  /// body is chunked or longer than `HTTPLimits.unaskedBodyBytes` (or the server's body limit, if that is lower),
  /// unless the client exceeds its rate limit or its `Expect` header is unknown.
  ///
  /// After true, the server reads only about `HTTPLimits.pipelinedBytes` further bytes until the handler calls
  /// `ticket.admitBody()` or answers. An answer without admitting the body ends the connection.
  func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool

  /// Returns the maximum body size in bytes for this request, at least `HTTPLimits.unaskedBodyBytes`; a longer body
  /// gets 413. Called for the same requests as `holdsBody`, after that returned false or the body was admitted, and
  /// before any of the body is read. The handler can allow more than `standard` for uploads, or less for small
  /// requests.
  func bodyLimit(for request: Request, standard: Int) -> Int

  /// Returns whether the body is written to a file as it arrives. Called after `bodyLimit`, but only if that exceeds
  /// the standard limit, the body is chunked or announced to exceed the standard limit, and the server has a spool
  /// directory. The body is then in `owned().spooled`, and not in memory.
  func spoolsBody(of request: Request) -> Bool
}

extension RequestHandler {
  package func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool { false }

  package func bodyLimit(for request: Request, standard: Int) -> Int { standard }

  package func spoolsBody(of request: Request) -> Bool { false }
}
