package import Domain
internal import Logging
package import PushTransport
package import TLS

/// Configuration of a sender, fixed for its lifetime.
package struct FCMConfiguration: Sendable {
  package var endpoint = Endpoint(host: "fcm.googleapis.com", port: 443)
  /// The certificate authorities trusted for Google.
  package var trust = TLSContext.Trust()
  /// Messages a minute of one project, of all nodes together; see `FCMSender.share`.
  package var messagesPerMinute = FCM.Limits.messagesPerMinute
  /// FCM only validates each message and delivers none: for trying out a configuration.
  package var validatesOnly = false
  /// Connection settings.
  package var wire = WireConfiguration(network: "fcm", logger: Logger(label: "fcm"))

  package init() {
    wire.streamsPerConnection = FCM.Limits.streamsPerConnection
  }
}

/// An app's credential for FCM, and how its messages are encoded.
package struct FCMCredential: Sendable {
  package let account: ServiceAccount
  package let style: FCMStyle
  /// The endpoint that issues its access tokens.
  package let tokenURL: String

  package init(account: ServiceAccount, style: FCMStyle = FCMStyle(), tokenURL: String = TokenAddress.google) {
    self.account = account
    self.style = style
    self.tokenURL = tokenURL
  }
}
