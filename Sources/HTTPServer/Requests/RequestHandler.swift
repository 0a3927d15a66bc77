/// Handles a server's requests. Called on the loop's thread.
package protocol RequestHandler: AnyObject {
  /// Answers `request` through `responder`, immediately or later. `request` is valid only until this returns.
  func handle(_ request: Request, _ responder: Responder)

  /// Returns whether the client must be authenticated before the body is read. Called when the head is complete and the
  /// body is chunked or longer than `HTTPLimits.unaskedBodyBytes`. After true, no more of the body is read until the
  /// handler either calls `ticket.admitBody()`, after which `bodyLimit` and `spoolsBody` are called, or answers, which ends
  /// the connection.
  func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool

  /// Returns the maximum body size in bytes for this request, at least `HTTPLimits.unaskedBodyBytes`. Called under the
  /// same conditions as `holdsBody`, before any of the body is read. The handler may allow more than `standard` for
  /// uploads, or less for small requests.
  func bodyLimit(for request: Request, standard: Int) -> Int

  /// Returns whether a body that may exceed the standard size is written to a file as it arrives. Called after
  /// `bodyLimit`. The body is then in `owned().spooled`, and not in memory.
  func spoolsBody(of request: Request) -> Bool
}

extension RequestHandler {
  package func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool { false }

  package func bodyLimit(for request: Request, standard: Int) -> Int { standard }

  package func spoolsBody(of request: Request) -> Bool { false }
}
