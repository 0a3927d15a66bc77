/// One push in `GET /deliveries`.
struct DeliveryDocument: Codable {
  let token: String
  let apnsId: String
  let collapseId: String?
  let badge: Int?
  /// Only with `--keep-payloads`.
  let payload: String?
  let topic: String?
  let pushType: String?
  let priority: String?
  let expiration: String?
  /// Since 1970.
  let atMicroseconds: Int64
}

struct DeliveryList: Codable {
  let deliveries: [DeliveryDocument]
  /// What to give as `after` for the rest; nil when there is no more.
  let next: Int?
}

struct FaultDocument: Codable {
  let id: Int
  let fault: Fault
  /// How often it struck.
  let struck: Int
}

/// One token in `POST /tokens`.
struct TokenDocument: Codable {
  enum State: String, Codable { case active, unregistered, expired }

  let token: String
  /// Default: production.
  let environment: Environment?
  /// The whole `apns-topic`; default: any.
  let topic: String?
  /// Default: active.
  let state: State?
  /// When it ended, milliseconds since 1970; default: now.
  let since: Int64?

  func registryState(nowMilliseconds: Int64) -> TokenRegistry.State {
    switch state ?? .active {
    case .active: .active
    case .unregistered: .unregistered(since: since ?? nowMilliseconds)
    case .expired: .expired(since: since ?? nowMilliseconds)
    }
  }
}

/// One FCM registration in `POST /registrations`.
struct RegistrationDocument: Codable {
  /// A registration token or a FID.
  let name: String
  /// Default: active.
  let state: FCMRegistrations.State?
}

/// A key in `POST /keys`.
struct KeyDocument: Codable {
  let teamId: String
  let keyId: String
  /// PEM.
  let publicKey: String
  let environments: Set<Environment>?
  let topics: Set<String>?
  let relatedKeyId: String?
  let revoked: Bool?

  func key() throws(SigningKey.Unusable) -> SigningKey {
    try SigningKey(
      teamID: teamId, keyID: keyId, publicKeyPEM: publicKey, environments: environments ?? Set(Environment.allCases),
      topics: topics, relatedKeyID: relatedKeyId, isRevoked: revoked ?? false)
  }
}
