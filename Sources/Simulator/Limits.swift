/// Numbers of this module: unit, reason, source. "Observed" marks what third parties saw of the real service; what
/// Apple does not publish at all is our choice and says so.
package enum Limits {
  // MARK: Requests ("Generating a remote notification", "Sending notification requests to APNs")

  /// Largest payload of every push type but voip, in bytes.
  package static let payloadBytes = 4096
  /// Largest payload of a voip push, in bytes.
  package static let voipPayloadBytes = 5120
  /// Largest payload on a broadcast channel, in bytes.
  package static let broadcastPayloadBytes = 5120
  /// Most channels of an app in one environment ("Sending channel management requests to APNs").
  package static let channels = 10_000
  /// Time between two updates of one channel: about a second (observed).
  package static let broadcastMilliseconds: Int64 = 1_000
  /// Longest `apns-collapse-id`, in bytes.
  package static let collapseIDBytes = 64
  /// Longest token in hexadecimal digits. Apple promises no size; 64 and 160 are seen. Our choice: well above.
  package static let tokenDigits = 400
  /// Longest topic in bytes: a bundle identifier has at most 155 characters, and the longest suffix 23. Our choice.
  package static let topicBytes = 255

  // MARK: Provider tokens ("Establishing a token-based connection to APNs")

  /// Oldest `iat`, in seconds.
  package static let providerTokenSeconds: Int64 = 3600
  /// How soon a new provider token may follow the one before, in seconds between their `iat`.
  package static let providerTokenUpdateSeconds: Int64 = 1200
  /// How far `iat` may lie in the future, in seconds. Apple names none; clocks differ. Our choice.
  package static let providerTokenSkewSeconds: Int64 = 600
  /// Longest JWT we look at, in bytes: real ones have about 200. Our choice.
  package static let providerTokenBytes = 4096

  // MARK: Connections (observed SETTINGS of production)

  /// Streams before the first valid push on a connection with a provider token.
  package static let streamsBeforeFirstPush = 1
  /// Streams of a connection in good standing.
  package static let streams = 1000
  /// SETTINGS_HEADER_TABLE_SIZE, bytes.
  package static let headerTableBytes = 4096
  /// SETTINGS_INITIAL_WINDOW_SIZE, bytes.
  package static let initialWindowBytes = 65_535
  /// SETTINGS_MAX_FRAME_SIZE, bytes.
  package static let frameBytes = 16_384
  /// SETTINGS_MAX_HEADER_LIST_SIZE, bytes.
  package static let headerListBytes = 8000
  /// Time without a request until GOAWAY. Apple speaks of an hour of inactivity.
  package static let idle = Duration.seconds(3600)
  /// Time for the TLS handshake. Our choice.
  package static let handshake = Duration.seconds(20)
  /// Points of error until GOAWAY. That there is a limit is Apple's; the number is our choice.
  package static let errorPoints = 1000
  /// Points of a BadDeviceToken, which Apple says disconnects "sooner"; every other error condition has one.
  package static let badDeviceTokenPoints = 10
  /// Time for open streams to end after GOAWAY. Our choice.
  package static let drain = Duration.seconds(5)

  /// How often a listener tries to get its port back, should somebody else have it. Our choice.
  package static let reopen = Duration.milliseconds(50)

  // MARK: FCM ("FCM HTTP v1 API", "Throttling and quotas")

  /// Longest life of a message waiting for its device, in seconds: four weeks.
  package static let ttlSeconds: Int64 = 2_419_200
  /// Largest payload to topics, in bytes; to a registration it is `payloadBytes`.
  package static let topicPayloadBytes = 2048
  /// Most topics in one condition.
  package static let topicsInCondition = 5
  /// Longest registration token, in bytes: about 160 are seen. Our choice.
  package static let registrationBytes = 4096
  /// Streams of a connection to Google's front ends (observed).
  package static let fcmStreams = 100
  /// Longest request body that is looked at, in bytes: the limits of the payload with all escapes. Our choice.
  package static let fcmBodyBytes = 65_536
  /// Messages a minute to one Android device.
  package static let messagesPerDeviceMinute = 240
  /// How long an access token lives, in seconds.
  package static let accessTokenSeconds: Int64 = 3600
  /// Longest life of an assertion, in seconds, and how far clocks may differ.
  package static let assertionSeconds: Int64 = 3600
  package static let assertionSkewSeconds: Int64 = 300

  // MARK: Virtual devices

  /// Most receipts or reads in one call: the server's limit.
  package static let confirmationsPerCall = 100
  /// First and longest rest after the server was busy or away; each setback doubles it. Our choice.
  package static let firstRest = Duration.milliseconds(50)
  package static let longestRest = Duration.seconds(2)
  /// Time for one call. Our choice: above the server's own limits.
  package static let call = Duration.seconds(30)

  // MARK: Memory

  /// Answers that a provider has not read, in bytes, until its requests are not read either.
  package static let outputBytes = 1 << 20
  /// Longest time that answers are held back to be reordered.
  package static let reorder = Duration.seconds(1)

  /// Deliveries that are kept unless configured otherwise: 40 bytes each, so 160 MB.
  package static let deliveriesKept = 4_000_000
  /// Deliveries in one block of the log.
  package static let deliveriesPerBlock = 65_536
  /// Pushes that may wait for the virtual devices.
  package static let deliveryBacklog = 4_000_000
  /// Most followers of a channel that one call adds.
  package static let followersAtOnce = 10_000_000
  /// Most deliveries in one answer of the control API.
  package static let controlPage = 10_000
  /// Largest request body of the control API, in bytes.
  package static let controlBodyBytes = 16 << 20
}
