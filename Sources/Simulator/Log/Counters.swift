/// What the simulator has seen since it started or was reset: a snapshot that any thread may look at.
package struct Counters: Codable, Equatable, Sendable {
  // MARK: Connections

  package var connectionsOpened = 0
  package var connectionsOpen = 0
  package var handshakesFailed = 0
  /// Connections that agreed on no protocol by ALPN (the real service takes them all the same).
  package var connectionsWithoutALPN = 0
  /// Connections that showed a client certificate.
  package var connectionsWithCertificate = 0
  /// Host names asked for by SNI, with how many connections did; `-` for none.
  package var serverNames: [String: Int] = [:]
  package var goAwaysSent = 0
  /// Connections that exceeded a stream limit they had acknowledged.
  package var limitViolations = 0
  /// Streams refused because the limit had dropped before the client knew.
  package var streamsRefused = 0
  /// Most streams open at once on one connection.
  package var maxConcurrentStreams = 0
  /// APNs ignores PRIORITY; a good provider sends none.
  package var priorityFrames = 0

  // MARK: Requests

  package var requests = 0
  package var accepted = 0
  /// Answers other than 200 by reason.
  package var rejected: [String: Int] = [:]
  /// Requests whose effect was a fault, by its kind.
  package var faults: [String: Int] = [:]
  /// Requests whose client took the stream back before the answer.
  package var cancelled = 0
  /// Requests whose `authorization` was sent as never indexed.
  package var neverIndexedAuthorization = 0
  /// Provider tokens in the order first seen.
  package var providerTokens: [SeenToken] = []

  // MARK: Deliveries

  package var deliveries = 0
  package var duplicates = 0
  package var reachedTokens = 0
  package var knownTokens = 0
  /// Pushes that the virtual devices were too busy to take.
  package var pushesMissed = 0
  /// The same of FCM's side, apart from connections, which are counted together.
  package var fcm = FCMCounters()
  /// The virtual devices of all platforms; nil without.
  package var devices: DeviceCounters?

  /// A provider token that was valid when first used on a connection.
  package struct SeenToken: Codable, Equatable, Sendable {
    package var teamID: String
    package var keyID: String
    /// `iat`, seconds since 1970.
    package var issuedAt: Int64
    /// Connections that used it.
    package var connections: Int
  }

  package init() {}
}
