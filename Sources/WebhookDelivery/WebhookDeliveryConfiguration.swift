package import Domain
package import HTTPClient
package import Reactor
package import Store
package import TLS
package import Tracing

/// Settings of webhook delivery.
package struct WebhookDeliveryConfiguration: Sendable {
  package let databaseURL: String
  /// Decrypts the texts of confidential messages, and encrypts those in events.
  package let contents: ContentSeal
  package let clock: any Clock
  /// Decrypts a webhook's signing secret; nil if that fails.
  package let secret: @Sendable (_ sealed: [UInt8], _ webhook: Int32) -> [UInt8]?
  /// Decrypts a user's phone number; nil if that fails.
  package var phone: @Sendable (_ sealed: [UInt8], _ user: Users.Key) -> String? = { _, _ in nil }
  package var trust = TLSContext.Trust()
  /// Proxy for all webhooks except exempt hosts; nil for direct connections.
  package var proxy: OutboundProxy?
  /// Private networks that webhooks may call.
  package var privateNetworks: [IPBlock] = []
  /// Receives the spans of attempts; nil disables tracing.
  package var spans: SpanQueue?
  /// Delays between attempts in seconds; tests shorten them.
  package var retrySeconds = WebhookDeliveryLimits.retrySeconds
  /// Timeout of a request, until the answer is complete; tests lengthen it.
  package var timeout: Duration = WebhookDeliveryLimits.timeout

  /// Lease of an attempt in seconds, after which another node may repeat it.
  var leaseSeconds: Int32 {
    Int32(clamping: timeout.components.seconds) + WebhookDeliveryLimits.storingSeconds
  }

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
