/// The reasons that Apple documents for refusing a push, and what each requires of us (developer.apple.com, "Handling
/// notification responses from APNs").
package enum APNsReason: String, CaseIterable, Sendable {
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
  // 400 of broadcast channels ("Handling error responses from APNs")
  case badChannelID = "BadChannelId"
  case badRequestParams = "BadRequestParams"
  case badRequestPayload = "BadRequestPayload"
  case channelNotRegistered = "ChannelNotRegistered"
  case featureNotEnabled = "FeatureNotEnabled"
  case missingChannelID = "MissingChannelId"
  case missingPushType = "MissingPushType"
  // 403
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
  /// The same under a name seen inside FCM's answers.
  case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
  /// Of broadcast channels.
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
  // 500, 503
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  /// What a refusal requires of us.
  package enum Action: Equatable, Sendable {
    /// This message can never be delivered as it is: our headers or body are wrong.
    case refuseMessage
    /// The device token is not valid for this app and environment; the service gave no time since when.
    case refuseToken
    /// The device token was valid until the time given in the answer.
    case retireToken
    /// Only this device is throttled: retry it after a delay of its own.
    case retryDevice
    /// The service is in trouble: retry after a delay.
    case retryLater
    /// The connection is at fault: resend at once on a new one.
    case retryOnNewConnection
    /// The provider token is too old: request a new one, retire the connection (it stays stuck), resend on a new one.
    case renewProviderToken
    /// Provider tokens changed too often: retire the connection, keep the token; rest if other connections get this
    /// too.
    case keepProviderToken
    /// A setting of the app is wrong; retry once on a new connection, because team and topics are bound at the first
    /// push.
    case retryOnceThenPause
    /// The credential is for the other environment's host: ask there.
    case otherEnvironment
    /// The credential is wrong: nothing of this app can be sent until an operator repairs it.
    case pauseApp
  }

  /// The documented status of the reason.
  package var status: Int {
    switch self {
    case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
      .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken, .missingTopic,
      .payloadEmpty, .topicDisallowed, .badChannelID, .badRequestParams, .badRequestPayload, .channelNotRegistered,
      .featureNotEnabled, .missingChannelID, .missingPushType:
      400
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
      .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken,
      .topicMismatch:
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

  package var action: Action {
    switch self {
    case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
      .missingDeviceToken, .payloadEmpty, .payloadTooLarge, .badPath, .methodNotAllowed:
      .refuseMessage
    // Whether it is a setting of ours is for the dispatcher's circuit breaker to say, who sees how many are told so.
    case .topicDisallowed, .topicMismatch: .refuseMessage
    case .badChannelID, .badRequestParams, .badRequestPayload, .channelNotRegistered, .featureNotEnabled,
      .missingChannelID, .missingPushType:
      .refuseMessage
    case .badDeviceToken, .deviceTokenNotForTopic: .refuseToken
    case .expiredToken, .unregistered: .retireToken
    case .tooManyRequests: .retryDevice
    case .internalServerError, .serviceUnavailable: .retryLater
    case .idleTimeout, .shutdown, .unrelatedKeyIDInToken: .retryOnNewConnection
    case .expiredProviderToken: .renewProviderToken
    case .tooManyProviderTokenUpdates: .keepProviderToken
    case .invalidProviderToken: .retryOnceThenPause
    case .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken: .otherEnvironment
    // Every push of the app would get the same answer.
    case .badCertificate, .badTopic, .forbidden, .missingProviderToken, .missingTopic: .pauseApp
    }
  }
}
