/// A push in the answer to `GET /deliveries`.
struct DeliveryDocument: Codable {
  let token: String
  let apnsId: String
  let collapseId: String?
  let badge: Int?
  /// The payload as text; present only with `--keep-payloads`.
  let payload: String?
  let topic: String?
  let pushType: String?
  let priority: String?
  let expiration: String?
  /// Time at which the push was accepted, in microseconds since 1970.
  let atMicroseconds: Int64
}

struct DeliveryList: Codable {
  let deliveries: [DeliveryDocument]
  /// Value of `after` for the next page; nil on the last page.
  let next: Int?
}

struct FaultDocument: Codable {
  let id: Int
  let fault: Fault
  /// Number of times the fault was applied.
  let applied: Int
}

/// A token in the body of `POST /tokens`.
struct TokenDocument: Codable {
  enum State: String, Codable { case active, unregistered, expired }

  let token: String
  /// APNs environment; production by default.
  let environment: Environment?
  /// The complete `apns-topic`; any topic by default.
  let topic: String?
  /// State of the token; active by default.
  let state: State?
  /// Time at which the token became invalid, in milliseconds since 1970; now by default.
  let since: Int64?

  func registryState(nowMilliseconds: Int64) -> TokenRegistry.State {
    switch state ?? .active {
    case .active: .active
    case .unregistered: .unregistered(since: since ?? nowMilliseconds)
    case .expired: .expired(since: since ?? nowMilliseconds)
    }
  }
}

/// An FCM registration in the body of `POST /registrations`.
struct RegistrationDocument: Codable {
  /// A registration token or a Firebase installation id.
  let name: String
  /// State of the registration; active by default.
  let state: FCMRegistrations.State?
}

/// A signing key in the body of `POST /keys`.
struct KeyDocument: Codable {
  let teamId: String
  let keyId: String
  /// The public key in PEM.
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
