package import Domain
internal import Logging
package import PushTransport
package import TLS

/// The configuration of a sender, fixed for its lifetime.
package struct FCMConfiguration: Sendable {
  package var endpoint = Endpoint(host: "fcm.googleapis.com", port: 443)
  /// The certificate authorities trusted for connections to Google.
  package var trust = TLSContext.Trust()
  /// The quota of one project in messages per minute, for all nodes together; see `FCMSender.share`.
  package var messagesPerMinute = FCM.Limits.messagesPerMinute
  /// True if FCM only validates each message and delivers none, for testing a configuration.
  package var validatesOnly = false
  /// Timeout of a request for an access token; tests lengthen it.
  package var tokenTimeout: Duration = .seconds(FCM.Limits.tokenRequestSeconds)
  /// The settings of the connections to FCM.
  package var wire = WireConfiguration(network: "fcm", logger: Logger(label: "fcm"))

  package init() {
    wire.streamsPerConnection = FCM.Limits.streamsPerConnection
  }
}

/// An app's FCM credential and the encoding of its messages.
package struct FCMCredential: Sendable {
  package let account: ServiceAccount
  package let style: FCMStyle
  /// The URL of the endpoint that issues access tokens.
  package let tokenURL: String

  package init(account: ServiceAccount, style: FCMStyle = FCMStyle(), tokenURL: String = TokenAddress.google) {
    self.account = account
    self.style = style
    self.tokenURL = tokenURL
  }
}
