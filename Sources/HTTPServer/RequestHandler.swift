/// Whoever answers requests. Called on the loop's thread.
package protocol RequestHandler: AnyObject {
  /// Answers `request` through `responder`, now or later. `request` is valid only until this returns.
  func handle(_ request: Request, _ responder: Responder)

  /// The most body bytes this request may bring. Asked when the head is there and the body is chunked or longer than
  /// `standard`, before any of it is awaited: uploads can be given more, or the unknown nothing.
  func bodyLimit(for request: Request, standard: Int) -> Int

  /// Whether a body about which `bodyLimit` was asked goes to a file as it comes. Its request then has it as `spooled` of
  /// `owned()`, and nothing in memory.
  func spoolShare(of request: Request) -> SpoolShare
}

/// How much of the disk's room for bodies a request may fill, together with all others.
package enum SpoolShare: Sendable {
  /// None: it stays in memory.
  case noFile
  /// Half of it: who asks is not known yet, and must leave room for those who are. Where there is no disk, it may bring
  /// no more than any other request.
  case half
  case whole
}

extension RequestHandler {
  package func bodyLimit(for request: Request, standard: Int) -> Int { standard }

  package func spoolShare(of request: Request) -> SpoolShare { .noFile }
}
