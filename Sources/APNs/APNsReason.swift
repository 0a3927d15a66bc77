/// The error reasons that Apple documents for pushes, and the action that the sender must take for each
/// (developer.apple.com, "Handling notification responses from APNs").
package enum APNsReason: String, CaseIterable, Sendable {
  // Status 400
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
  // Status 400 of broadcast channels ("Handling error responses from APNs")
  case badChannelID = "BadChannelId"
  case badRequestParams = "BadRequestParams"
  case badRequestPayload = "BadRequestPayload"
  case channelNotRegistered = "ChannelNotRegistered"
  case featureNotEnabled = "FeatureNotEnabled"
  case missingChannelID = "MissingChannelId"
  case missingPushType = "MissingPushType"
  // Status 403
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
  /// The reason `badEnvironmentKeyIDInToken` under another name, which was observed in FCM's responses.
  case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
  /// The topic does not match; only for broadcast channels.
  case topicMismatch = "TopicMismatch"
  // Statuses 404 and 405
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  // Status 410
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  // Status 413
  case payloadTooLarge = "PayloadTooLarge"
  // Status 429
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  // Statuses 500 and 503
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  /// The action that the sender must take after an error.
  package enum Action: Equatable, Sendable {
    /// Fail the message: its headers or body are wrong, and it can never be delivered.
    case refuseMessage
    /// Fail the device token: it is not valid for this app and environment; since when is unknown.
    case refuseToken
    /// Fail the device token: it was valid until the time given in the answer.
    case retireToken
    /// Retry this device after a delay: only it is throttled.
    case retryDevice
    /// Retry after a delay: the service has a problem.
    case retryLater
    /// Resend at once on a new connection: this connection has a problem.
    case retryOnNewConnection
    /// Request a new provider token, because this one is too old, and resend on a new connection: the old connection
    /// does not accept another token.
    case renewProviderToken
    /// Retire the connection and keep the token, because tokens have changed too often; pause if other connections get
    /// this answer too.
    case keepProviderToken
    /// Retry once on a new connection, because team and topics are bound to a connection at its first push; then pause
    /// the app, because one of its settings is wrong.
    case retryOnceThenPause
    /// Try the other environment: the credential belongs to it.
    case otherEnvironment
    /// Pause the app: its credential is wrong, and nothing can be sent until an operator fixes it.
    case pauseApp
  }

  /// The status that Apple documents for the reason.
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
    // Whether the app's settings are at fault is decided by the dispatcher's circuit breaker, from the number of such
    // answers.
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
