import Crypto
import FoundationEssentials

@testable import Simulator

/// A provider with a signing key, as tests need it: mints provider tokens of every kind, also bad ones.
struct TestProvider {
  let teamID: String
  let keyID: String
  let privateKey: P256.PrivateKey

  init(teamID: String = "TEAM000001", keyID: String = "KEY0000001") {
    self.teamID = teamID
    self.keyID = keyID
    privateKey = P256.PrivateKey()
  }

  /// The owner of a simulator's ready-made key.
  init(_ key: Simulator.ProviderKey) throws {
    teamID = key.teamID
    keyID = key.keyID
    privateKey = try P256.PrivateKey(pem: key.privateKeyPEM)
  }

  func key(
    environments: Set<Environment> = Set(Environment.allCases), topics: Set<String>? = nil, related: String? = nil,
    isRevoked: Bool = false
  ) throws -> SigningKey {
    try SigningKey(
      teamID: teamID, keyID: keyID, publicKeyPEM: privateKey.publicKey.pem, environments: environments,
      topics: topics, relatedKeyID: related, isRevoked: isRevoked)
  }

  func token(
    issuedAt: Int64, header: String? = nil, claims: String? = nil, isDER: Bool = false, corrupted: Bool = false
  ) throws -> String {
    let header = header ?? #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims = claims ?? #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
    let message = Array(signed.utf8)
    var bytes = isDER ? privateKey.derSignature(for: message) : privateKey.signature(for: message)
    if corrupted { bytes[bytes.count - 1] ^= 1 }
    return signed + "." + Base64URL.encode(bytes)
  }
}

/// A request in the making.
struct TestRequest {
  static let now: Int64 = 1_800_000_000
  static let token = String(repeating: "ab", count: 32)

  var headers: [(String, String)]
  var body: String

  /// What a good provider sends.
  init(authorization: String?, token: String = TestRequest.token, body: String = #"{"aps":{"alert":"hi"}}"#) {
    headers = [
      (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + token), (":authority", "api.push.apple.com"),
      ("apns-topic", "com.example.app"), ("apns-push-type", "alert"),
      ("apns-id", "123e4567-e89b-12d3-a456-4266554400a0"), ("apns-priority", "10"), ("apns-expiration", "0"),
      ("apns-collapse-id", "104"), ("content-type", "application/json"),
    ]
    if let authorization { headers.append(("authorization", authorization)) }
    self.body = body
  }

  /// With one header changed (nil removes it).
  func with(_ name: String, _ value: String?) -> TestRequest {
    var copy = self
    copy.headers.removeAll { $0.0 == name }
    if let value { copy.headers.append((name, value)) }
    return copy
  }

  /// With a header more, whether there is one of its name or not.
  func adding(_ name: String, _ value: String) -> TestRequest {
    var copy = self
    copy.headers.append((name, value))
    return copy
  }

  func with(body: String) -> TestRequest {
    var copy = self
    copy.body = body
    return copy
  }

  var request: PushRequest {
    let request = PushRequest()
    for (name, value) in headers {
      let name = Array(name.utf8)
      let value = Array(value.utf8)
      request.append(name: name.span, value: value.span)
    }
    let bytes = Array(body.utf8)
    request.append(body: bytes.span)
    return request
  }
}

/// A service that trusts one provider, and a connection to it.
struct TestService {
  let provider: TestProvider
  var knowledge = RequestValidation.Knowledge()
  var identity = RequestValidation.Identity()
  var environment = Environment.production
  var now = TestRequest.now

  init(provider: TestProvider = TestProvider()) throws {
    self.provider = provider
    knowledge.keys.register(try provider.key())
  }

  func authorization(issuedAt: Int64? = nil) throws -> String {
    "bearer " + (try provider.token(issuedAt: issuedAt ?? now))
  }

  func good() throws -> TestRequest { TestRequest(authorization: try authorization()) }

  /// The reason of the refusal; nil when accepted.
  mutating func reason(_ request: TestRequest) -> Reason? { rejection(request)?.reason }

  mutating func rejection(_ request: TestRequest) -> Rejection? {
    let verdict = RequestValidation.validate(request.request, &identity, &knowledge, environment, nowSeconds: now)
    if case .failure(let rejection) = verdict { return rejection }
    return nil
  }
}
