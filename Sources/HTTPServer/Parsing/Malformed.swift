/// The reason why a request is refused before it reaches the handler. The connection answers with the status and
/// closes, because bytes after ambiguous framing cannot be trusted.
package struct Malformed: Error, Sendable {
  package let status: Status
  /// One sentence for the client, with the RFC section if one is violated.
  package let reason: StaticString

  init(_ status: Status = .badRequest, _ reason: StaticString) {
    self.status = status
    self.reason = reason
  }
}
