/// Whoever answers requests. Called on the loop's thread.
package protocol RequestHandler: AnyObject {
  /// Answers `request` through `responder`, now or later. `request` is valid only until this returns.
  func handle(_ request: Request, _ responder: Responder)

  /// The most body bytes this request may bring. Asked when the head is there and the body is chunked or longer than
  /// `standard`, before any of it is awaited: uploads can be given more, or the unknown nothing.
  func bodyLimit(for request: Request, standard: Int) -> Int
}

extension RequestHandler {
  package func bodyLimit(for request: Request, standard: Int) -> Int { standard }
}
