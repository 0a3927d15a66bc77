package import Domain
internal import Logging
package import PushTransport
package import TLS

/// How a sender is set up; the same for its whole life.
package struct FCMConfiguration: Sendable {
  package var endpoint = Endpoint(host: "fcm.googleapis.com", port: 443)
  /// Whose certificates Google may show.
  package var trust = TLSContext.Trust()
  /// Messages a minute of one project: all nodes together, see `FCMSender.share`.
  package var messagesPerMinute = FCM.Limits.messagesPerMinute
  /// Every message is only checked by FCM and delivered to nobody: for trying out a set-up.
  package var validatesOnly = false
  /// How connections are set up.
  package var wire = WireConfiguration(network: "fcm", logger: Logger(label: "fcm"))

  package init() {
    wire.streamsPerConnection = FCM.Limits.streamsPerConnection
  }
}

/// What opens FCM for an app, and how its messages are written.
package struct FCMCredential: Sendable {
  package let account: ServiceAccount
  package let style: FCMStyle
  /// Where its access tokens are got.
  package let tokenURL: String

  package init(account: ServiceAccount, style: FCMStyle = FCMStyle(), tokenURL: String = TokenAddress.google) {
    self.account = account
    self.style = style
    self.tokenURL = tokenURL
  }
}
