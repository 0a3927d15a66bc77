/// Why a request is refused before a handler sees it. The connection answers with the status and closes: after
/// ambiguous bytes nothing that follows can be trusted.
package struct Malformed: Error, Sendable {
  package let status: Status
  /// One sentence for the client, with the section of the specification.
  package let reason: StaticString

  init(_ status: Status = .badRequest, _ reason: StaticString) {
    self.status = status
    self.reason = reason
  }
}
