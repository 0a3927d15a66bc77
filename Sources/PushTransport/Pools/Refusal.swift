/// An answer with a status other than 200.
package struct Refusal: Sendable {
  package let status: Int
  package let body: [UInt8]
  /// The delay in seconds from the `Retry-After` field, 0 to 86,400; nil if absent or malformed.
  package let retryAfter: Int?

  package init(status: Int, body: [UInt8], retryAfter: Int?) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}
