internal import Crypto
internal import Domain
internal import JSON
internal import Time

/// A sign-in that a browser has begun. A secret in the browser's cookie, from which state, nonce and code verifier are
/// derived, ensures that the identity provider's answer is accepted only from the same browser.
///
/// ```
///   secret ─┬─ hash ─► state      in the address, back from the provider
///           ├─ hash ─► nonce      in the address, back in the ID token
///           └─ hash ─► verifier   its own hash in the address (PKCE, RFC 7636); itself only to the token endpoint
/// ```
/// The cookie is sealed with the master key and contains its expiry, so nothing is stored, and any node can finish a
/// sign-in that another has begun. Decision 144.
struct OpenIDRequest {
  private let secret: [UInt8]

  private static let place = "openid sign-in"

  init() {
    secret = MasterKey.makeBytes()
  }

  /// Decrypts a cookie. Returns nil if it is malformed, was not created with this master key, or has expired.
  init?(cookie: String, _ master: MasterKey, now: Timestamp) {
    guard let sealed = Base64URL.decode(cookie), let bytes = try? master.open(sealed, for: Self.place),
      bytes.count == 40
    else { return nil }
    let endsAt = bytes[32...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard now < Timestamp(microseconds: endsAt) else { return nil }
    secret = Array(bytes.prefix(32))
  }

  func cookie(_ master: MasterKey, now: Timestamp) -> String {
    let endsAt = (now + .seconds(Operations.Limits.openIDSeconds)).microseconds
    let time = (0..<8).map { UInt8(truncatingIfNeeded: endsAt >> (56 - 8 * $0)) }
    return Base64URL.encode(master.seal(secret + time, for: Self.place))
  }

  private func derived(_ name: String) -> String {
    Base64URL.encode(SHA256.hash(Array("\(name) ".utf8) + secret))
  }

  var nonce: String { derived("nonce") }
  var verifier: String { derived("verifier") }
  private var state: String { derived("state") }

  func matches(state other: String) -> Bool {
    ConstantTime.isEqual(Array(other.utf8), Array(state.utf8))
  }

  /// Returns the URL of the authorization request, to which the browser is sent.
  /// - Parameter endpoint: the provider's authorization endpoint, with or without a query.
  func address(_ endpoint: String, _ settings: OpenIDSettings) -> String {
    let query = FormText.form([
      ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", settings.redirectURL),
      ("scope", settings.scope), ("state", state), ("nonce", nonce),
      ("code_challenge", Base64URL.encode(SHA256.hash(Array(verifier.utf8)))), ("code_challenge_method", "S256"),
    ])
    return endpoint + (endpoint.contains("?") ? "&" : "?") + query
  }
}
