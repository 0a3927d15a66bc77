package import Domain
package import HTTPClient
package import Reactor
package import Store
package import TLS
package import Tracing

/// Settings of webhook delivery.
package struct WebhookDeliveryConfiguration: Sendable {
  package let databaseURL: String
  /// Opens the texts of confidential messages, and seals those in events.
  package let contents: ContentSeal
  package let clock: any Clock
  /// Opens a webhook's signing secret; nil when it does not open.
  package let secret: @Sendable (_ sealed: [UInt8], _ webhook: Int32) -> [UInt8]?
  /// Opens a person's phone number; nil when it does not open.
  package var phone: @Sendable (_ sealed: [UInt8], _ user: Users.Key) -> String? = { _, _ in nil }
  package var trust = TLSContext.Trust()
  /// Proxy for all webhooks but its exceptions; nil for direct connections.
  package var proxy: OutboundProxy?
  /// Private networks in which webhooks are allowed.
  package var privateNetworks: [IPBlock] = []
  /// Takes the spans of attempts; nil records none.
  package var spans: SpanQueue?
  /// Pauses between attempts, in seconds; tests shorten them.
  package var retrySeconds = WebhookDeliveryLimits.retrySeconds

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
