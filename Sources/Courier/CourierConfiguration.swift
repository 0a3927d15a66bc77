package import Reactor
package import TLS

/// What the courier needs to know.
package struct CourierConfiguration: Sendable {
  package let databaseURL: String
  /// Opens a webhook's signing secret; nil when it does not open.
  package let secret: @Sendable (_ sealed: [UInt8], _ webhook: Int32) -> [UInt8]?
  package var trust = TLSContext.Trust()
  /// Networks of one's own that webhooks may be in.
  package var privateNetworks: [IPBlock] = []
  /// Pauses between attempts, in seconds; tests shorten them.
  package var retrySeconds = Courier.Limits.retrySeconds

  package init(
    databaseURL: String, secret: @escaping @Sendable (_ sealed: [UInt8], _ webhook: Int32) -> [UInt8]?
  ) {
    self.databaseURL = databaseURL
    self.secret = secret
  }
}
