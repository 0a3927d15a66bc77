/// Counters of what the simulator has seen since it started or was reset: a snapshot that any thread may read.
package struct Counters: Codable, Equatable, Sendable {
  // MARK: Connections

  package var connectionsOpened = 0
  package var connectionsOpen = 0
  package var handshakesFailed = 0
  /// Connections without ALPN, which the real service accepts, too.
  package var connectionsWithoutALPN = 0
  /// Connections that presented a client certificate.
  package var connectionsWithCertificate = 0
  /// Host names requested by SNI, with the number of connections; `-` for none.
  package var serverNames: [String: Int] = [:]
  package var goAwaysSent = 0
  /// Connections that exceeded a stream limit which they had acknowledged.
  package var limitViolations = 0
  /// Streams refused because of a lowered limit that the client had not acknowledged yet.
  package var streamsRefused = 0
  /// Maximum number of concurrent streams on one connection.
  package var maxConcurrentStreams = 0
  /// PRIORITY frames received; APNs ignores them, and providers should not send them.
  package var priorityFrames = 0

  // MARK: Requests

  package var requests = 0
  package var accepted = 0
  /// Responses other than 200, by reason.
  package var rejected: [String: Int] = [:]
  /// Requests to which a fault was applied, by `Effect.name`.
  package var faults: [String: Int] = [:]
  /// Streams that the client cancelled (RST_STREAM with CANCEL).
  package var cancelled = 0
  /// Requests whose `authorization` was sent as a never-indexed header.
  package var neverIndexedAuthorization = 0
  /// Provider tokens, in the order first seen.
  package var providerTokens: [SeenToken] = []

  // MARK: Deliveries

  package var deliveries = 0
  package var duplicates = 0
  package var reachedTokens = 0
  package var knownTokens = 0
  /// Pushes dropped because their batch did not fit into the inbox of the virtual devices or of a watcher
  /// (`Simulator.watch`), or that inbox was closed.
  package var pushesMissed = 0
  /// Counters of the simulated FCM, except for connections, which are counted above.
  package var fcm = FCMCounters()
  /// Counters of the virtual devices of all platforms; nil if there are none.
  package var devices: DeviceCounters?

  /// A provider token that was valid when it was first used on a connection.
  package struct SeenToken: Codable, Equatable, Sendable {
    package var teamID: String
    package var keyID: String
    /// Time of issue (`iat`), in seconds since 1970.
    package var issuedAt: Int64
    /// Number of connections that used it.
    package var connections: Int
  }

  package init() {}
}
