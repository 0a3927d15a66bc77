/// Limits of this module. Each comment states the unit, the reason and the source. "Observed" marks behavior of the
/// real service seen by third parties; values that Apple does not publish are our choice and marked as such.
package enum Limits {
  // MARK: Requests ("Generating a remote notification", "Sending notification requests to APNs")

  /// Maximum payload of all push types except VoIP, in bytes.
  package static let payloadBytes = 4096
  /// Maximum payload of a VoIP push, in bytes.
  package static let voipPayloadBytes = 5120
  /// Maximum payload on a broadcast channel, in bytes.
  package static let broadcastPayloadBytes = 5120
  /// Maximum channels of an app in one environment ("Sending channel management requests to APNs").
  package static let channels = 10_000
  /// Minimum time between two updates of a channel in milliseconds: about a second (observed).
  package static let broadcastMilliseconds: Int64 = 1_000
  /// Maximum length of `apns-collapse-id` in bytes.
  package static let collapseIDBytes = 64
  /// Maximum length of a token in hexadecimal digits. Apple guarantees no size; 64 and 160 digits are observed. The
  /// limit is our choice, well above both.
  package static let tokenDigits = 400
  /// Maximum length of a topic in bytes: a bundle identifier has at most 155 characters, and the longest suffix 23. Our
  /// choice.
  package static let topicBytes = 255

  // MARK: Provider tokens ("Establishing a token-based connection to APNs")

  /// Maximum age of `iat` in seconds.
  package static let providerTokenSeconds: Int64 = 3600
  /// Minimum difference between the `iat` of two successive provider tokens, in seconds.
  package static let providerTokenUpdateSeconds: Int64 = 1200
  /// Maximum time by which `iat` may lie in the future, in seconds, for clock differences. Apple states none; our
  /// choice.
  package static let providerTokenSkewSeconds: Int64 = 600
  /// Maximum length of a JWT in bytes; real ones have about 200. The simulator's own choice.
  package static let providerTokenBytes = 4096

  // MARK: Connections (observed SETTINGS of production)

  /// Maximum concurrent streams before the first valid push on a connection with a provider token.
  package static let streamsBeforeFirstPush = 1
  /// Maximum concurrent streams of a connection without errors.
  package static let streams = 1000
  /// SETTINGS_HEADER_TABLE_SIZE in bytes.
  package static let headerTableBytes = 4096
  /// SETTINGS_INITIAL_WINDOW_SIZE in bytes.
  package static let initialWindowBytes = 65_535
  /// SETTINGS_MAX_FRAME_SIZE in bytes.
  package static let frameBytes = 16_384
  /// SETTINGS_MAX_HEADER_LIST_SIZE in bytes.
  package static let headerListBytes = 8000
  /// Idle time before GOAWAY. Apple mentions an hour of inactivity.
  package static let idle = Duration.seconds(3600)
  /// Timeout of the TLS handshake. The simulator's own choice.
  package static let handshake = Duration.seconds(20)
  /// Error points of a connection at which GOAWAY is sent. Apple has such a limit; the number is our choice.
  package static let errorPoints = 1000
  /// Error points of a BadDeviceToken, after which Apple disconnects "sooner"; every other error counts one point.
  package static let badDeviceTokenPoints = 10
  /// Maximum time for open streams to end after GOAWAY. The simulator's own choice.
  package static let drain = Duration.seconds(5)

  /// Interval at which a listener retries to reopen a port that is in use. The simulator's own choice.
  package static let reopen = Duration.milliseconds(50)

  // MARK: FCM ("FCM HTTP v1 API", "Throttling and quotas")

  /// Maximum time for which a message is stored for an offline device, in seconds: four weeks.
  package static let ttlSeconds: Int64 = 2_419_200
  /// Maximum payload to topics in bytes; to a registration the limit is `payloadBytes`.
  package static let topicPayloadBytes = 2048
  /// Maximum topics in one condition.
  package static let topicsInCondition = 5
  /// Maximum length of a registration token in bytes; about 160 are observed. The simulator's own choice.
  package static let registrationBytes = 4096
  /// Maximum concurrent streams of a connection to Google's front ends (observed).
  package static let fcmStreams = 100
  /// Maximum size of a request body in bytes: the payload limits with all characters escaped. The simulator's own
  /// choice.
  package static let fcmBodyBytes = 65_536
  /// Maximum messages per minute to one Android device.
  package static let messagesPerDeviceMinute = 240
  /// Lifetime of an access token in seconds.
  package static let accessTokenSeconds: Int64 = 3600
  /// Maximum lifetime of an assertion, in seconds.
  package static let assertionSeconds: Int64 = 3600
  /// Tolerated clock difference for the times in an assertion, in seconds.
  package static let assertionSkewSeconds: Int64 = 300

  // MARK: Virtual devices

  /// Maximum receipts or reads in one request: the server's limit.
  package static let confirmationsPerCall = 100
  /// First pause after the server was busy or unreachable; doubles each time. The simulator's own choice.
  package static let firstRest = Duration.milliseconds(50)
  /// Maximum of that pause. The simulator's own choice.
  package static let longestRest = Duration.seconds(2)
  /// Timeout of a request. Our choice, above the server's own timeouts.
  package static let call = Duration.seconds(30)

  // MARK: Memory

  /// Number of unsent bytes above which a connection's requests are not read.
  package static let outputBytes = 1 << 20
  /// Maximum time for which answers are held to be reordered.
  package static let reorder = Duration.seconds(1)

  /// Default number of deliveries stored: 40 bytes each, 160 MB in total.
  package static let deliveriesKept = 4_000_000
  /// Number of deliveries in a block of the log.
  package static let deliveriesPerBlock = 65_536
  /// Maximum number of pushes queued for the virtual devices.
  package static let deliveryBacklog = 4_000_000
  /// Maximum number of followers that one request adds to a channel.
  package static let followersAtOnce = 10_000_000
  /// Maximum number of deliveries in one response of the control API.
  package static let controlPage = 10_000
  /// Maximum size of a request body of the control API in bytes.
  package static let controlBodyBytes = 16 << 20
  /// Retry-After of the busy server in a conformance run, in seconds.
  static let expectedRetryAfterSeconds = 1
}
