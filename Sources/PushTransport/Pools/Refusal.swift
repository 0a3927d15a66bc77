/// An answer that is not 200, as received.
package struct Refusal: Sendable {
  package let status: Int
  package let body: [UInt8]
  /// Seconds to wait, if the service says so.
  package let retryAfter: Int?

  package init(status: Int, body: [UInt8], retryAfter: Int?) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}
