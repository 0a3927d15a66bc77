/// Settings of the simulator: addresses, strictness and what it stores.
package struct SimulatorConfiguration: Sendable {
  // MARK: Addresses: `host:port`; port 0 selects any free port

  package var listen = "127.0.0.1:0"
  package var sandboxListen = "127.0.0.1:0"
  /// Address of channel management for production; nil to disable it.
  package var channelsListen: String? = "127.0.0.1:0"
  /// Address of channel management for the sandbox; nil to disable it.
  package var sandboxChannelsListen: String? = "127.0.0.1:0"
  /// Address of FCM over HTTP/2; nil to disable it. FCM over HTTP/1.1 and the token endpoint are at `controlListen`.
  package var fcmListen: String? = "127.0.0.1:0"
  /// Address of the control API; nil to disable it.
  package var controlListen: String? = "127.0.0.1:0"
  /// Names and IP literals in the server's certificate.
  package var serverNames = [
    "localhost", "127.0.0.1", "::1", "api.push.apple.com", "api.sandbox.push.apple.com", "fcm.googleapis.com",
  ]

  // MARK: Strictness

  package var rules = ValidationRules()
  package var conduct = StreamLimitPolicy.Policy()
  /// The handling of well-formed tokens that were never registered.
  package var unregisteredTokens = TokenRegistry.UnregisteredPolicy.accepted
  /// Time without a request after which a connection gets GOAWAY.
  package var idle = Limits.idle
  /// Delay of every answer, to simulate the round trip to Apple of 40 to 150 ms.
  package var latency = Duration.zero
  /// Maximum pushes to one token per second; further ones get TooManyRequests. Nil for no limit.
  package var pushesPerTokenSecond: Int?
  /// Bundle identifiers that the preconfigured key may push to; nil for all.
  package var topics: Set<String>?
  /// Private key of the preconfigured key, to reuse it in several runs; nil to generate one.
  package var privateKeyPEM: String?

  // MARK: FCM

  /// Project id of the preconfigured service account.
  package var projectID = "upmc-simulator"
  /// Private key of the preconfigured service account, to reuse it in several runs; nil to generate one.
  package var serviceAccountKeyPEM: String?
  /// Quota in messages per minute; further messages get QUOTA_EXCEEDED. Nil for no limit.
  package var fcmMessagesPerMinute: Int? = 600_000
  /// True to also limit each device to 240 messages per minute (`Limits.messagesPerDeviceMinute`).
  package var fcmLimitsDevices = false
  package var fcmStreams = Limits.fcmStreams

  // MARK: Storage

  /// True to store the payload of each delivery, for tests that examine payloads.
  package var keepsPayloads = false
  /// True to store each delivery; false to count only totals, for benchmarks that run for hours.
  package var keepsDeliveries = true
  /// Minimum number of recent deliveries stored; older ones are dropped in blocks.
  package var deliveriesKept = Limits.deliveriesKept
  /// Seed of the random numbers for faults and generated identifiers.
  package var seed: UInt64 = 1

  package init() {}
}
