/// What the simulator is to be: addresses, strictness, what it keeps.
package struct SimulatorConfiguration: Sendable {
  // MARK: Addresses: `host:port`; port 0 for any free one

  package var listen = "127.0.0.1:0"
  package var sandboxListen = "127.0.0.1:0"
  /// The channel management of production and of the sandbox; nil for none.
  package var channelsListen: String? = "127.0.0.1:0"
  package var sandboxChannelsListen: String? = "127.0.0.1:0"
  /// FCM over HTTP/2; nil for none. HTTP/1.1 and the token endpoint are at `controlListen`.
  package var fcmListen: String? = "127.0.0.1:0"
  /// Nil for no control API.
  package var controlListen: String? = "127.0.0.1:0"
  /// Names and IP literals in the server certificate.
  package var serverNames = [
    "localhost", "127.0.0.1", "::1", "api.push.apple.com", "api.sandbox.push.apple.com", "fcm.googleapis.com",
  ]

  // MARK: Strictness

  package var rules = ValidationRules()
  package var conduct = ConnectionConduct.Policy()
  /// What becomes of well-formed tokens that nobody registered.
  package var strangers = TokenRegistry.Strangers.accepted
  /// Time without a request until GOAWAY.
  package var idle = Limits.idle
  /// Every answer comes this much after its request: a round trip to Apple takes 40 to 150 ms.
  package var latency = Duration.zero
  /// Pushes to one token within a second until TooManyRequests; nil for no limit.
  package var pushesPerTokenSecond: Int?
  /// Bundle identifiers of the ready-made key; nil lets it push to every topic.
  package var topics: Set<String>?
  /// The ready-made key's private half, to have the same one again; nil makes a new one.
  package var privateKeyPEM: String?

  // MARK: FCM

  /// The project of the ready-made service account.
  package var projectID = "upmc-simulator"
  /// The ready-made account's private key, to have the same one again; nil makes a new one.
  package var serviceAccountKeyPEM: String?
  /// Messages a minute until QUOTA_EXCEEDED; nil for no limit.
  package var fcmMessagesPerMinute: Int? = 600_000
  /// Whether single devices have a limit too (240 a minute).
  package var fcmLimitsDevices = false
  package var fcmStreams = Limits.fcmStreams

  // MARK: What it keeps

  /// Keep the payload of every delivery, for tests that look into them.
  package var keepsPayloads = false
  /// Keep every delivery. Switched off, only totals are kept: for benchmarks that run for hours.
  package var keepsDeliveries = true
  /// How many deliveries are kept at least; older ones are forgotten by the block.
  package var deliveriesKept = Limits.deliveriesKept
  /// For faults with a probability, and all made-up identifiers.
  package var seed: UInt64 = 1

  package init() {}
}
