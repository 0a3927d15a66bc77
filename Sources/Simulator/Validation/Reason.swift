/// Apple's reason codes, with the status of each.
///
/// Source: "Handling notification responses from APNs", table of `reason` values.
package enum Reason: String, CaseIterable, Sendable {
  // 400
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  // 400 of the channel API ("Handling error responses from APNs")
  case badChannelID = "BadChannelId"
  /// Also reported for a payload that fails strict validation.
  case badRequestPayload = "BadRequestPayload"
  case cannotCreateChannelConfig = "CannotCreateChannelConfig"
  case channelNotRegistered = "ChannelNotRegistered"
  case featureNotEnabled = "FeatureNotEnabled"
  case missingChannelID = "MissingChannelId"
  /// Apple returns this reason but does not document it.
  case missingChannelQueueSize = "MissingChannelQueueSize"
  case missingPushType = "MissingPushType"
  // 403
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
  /// Reported only by the channel API.
  case topicMismatch = "TopicMismatch"
  // 404, 405
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  // 410
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  // 413
  case payloadTooLarge = "PayloadTooLarge"
  // 429
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  // 5xx
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  /// HTTP status of the reason.
  package var status: Int {
    switch self {
    case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
      .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken, .missingTopic,
      .payloadEmpty, .topicDisallowed, .badRequestPayload, .badChannelID, .cannotCreateChannelConfig,
      .channelNotRegistered, .featureNotEnabled, .missingChannelID, .missingChannelQueueSize, .missingPushType:
      400
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .expiredProviderToken, .forbidden,
      .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken, .topicMismatch:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .internalServerError: 500
    case .serviceUnavailable, .shutdown: 503
    }
  }

  /// True if Apple counts the answer against the connection: 4xx except 410.
  package var isErrorCondition: Bool { status < 500 && status != 410 }
}

/// The reason why a request was refused, as reported to the provider.
package struct Rejection: Error, Equatable, Sendable {
  package var reason: Reason
  /// Time at which the token became invalid, in milliseconds since 1970; only with status 410.
  package var timestampMilliseconds: Int64?

  package init(_ reason: Reason, timestampMilliseconds: Int64? = nil) {
    self.reason = reason
    self.timestampMilliseconds = timestampMilliseconds
  }
}
