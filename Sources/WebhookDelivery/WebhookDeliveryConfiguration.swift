package import Domain
package import HTTPClient
package import Reactor
package import Store
package import TLS

/// What the courier needs to know.
package struct WebhookDeliveryConfiguration: Sendable {
  package let databaseURL: String
  /// Opens what confidential messages say, and seals what events tell of it.
  package let contents: ContentSeal
  package let clock: any Clock
  /// Opens a webhook's signing secret; nil when it does not open.
  package let secret: @Sendable (_ sealed: [UInt8], _ webhook: Int32) -> [UInt8]?
  /// Opens a person's telephone number; nil when it does not open.
  package var phone: @Sendable (_ sealed: [UInt8], _ user: Users.Key) -> String? = { _, _ in nil }
  package var trust = TLSContext.Trust()
  /// Through which everything goes, but for what it names itself; nil for the straight way.
  package var proxy: OutboundProxy?
  /// Networks of one's own that webhooks may be in.
  package var privateNetworks: [IPBlock] = []
  /// Pauses between attempts, in seconds; tests shorten them.
  package var retrySeconds = CourierLimits.retrySeconds

  package init(
    databaseURL: String, contents: ContentSeal, clock: any Clock = SystemClock(),
    secret: @escaping @Sendable (_ sealed: [UInt8], _ webhook: Int32) -> [UInt8]?
  ) {
    self.databaseURL = databaseURL
    self.contents = contents
    self.clock = clock
    self.secret = secret
  }
}
