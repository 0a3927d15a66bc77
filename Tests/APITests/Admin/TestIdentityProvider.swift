import Crypto
import Domain
import Operations
import Reactor
import Synchronization
import Time

/// An identity provider that does what it is told: it checks PKCE and the client as the standard asks, and signs ID
/// tokens with whatever fault a test wants.
final class TestIdentityProvider: IdentityProviderCalls {
  static let issuer = "https://login.example.com/staff"
  static let secret = "s:ecret/+"

  struct State {
    /// Nothing answers.
    var isAway = false
    var describedIssuer = issuer
    var rsa = TestIdentityProvider.firstKey
    var p256 = P256.PrivateKey()
    var algorithm = "RS256"
    var keyID = "k1"
    /// Claims that replace the right ones; nil removes one.
    var changes: [String: String?] = [:]
    /// What the authorization request asked for.
    var challenge = ""
    var nonce = ""
    var keyReadings = 0
    /// Puts the signature, or what stands in its place, behind a token.
    var spoils: (@Sendable (String) -> String)?
  }

  /// The first key of all providers, because making a key takes a tenth of a second or more.
  private static let firstKey = RSA.PrivateKey()

  let state = Mutex(State())

  static var settings: OpenIDSettings {
    var settings = OpenIDSettings(
      issuer: issuer, clientID: "upmc", clientSecret: secret, redirectURL: "https://push.example.com/",
      roles: ["push-admins": .admin, "push-staff": .operator], label: "Example Bank")
    settings.appClaim = "apps"
    // However long the sign-ins of a test take, they are made within one pause.
    settings.keyPauseSeconds = 3_600
    return settings
  }

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  /// What a browser does there: takes the request's parameters along, and comes back with a code.
  func authorize(_ parameters: [String: String]) {
    change { state in
      state.challenge = parameters["code_challenge"] ?? ""
      state.nonce = parameters["nonce"] ?? ""
    }
  }

  func get(_ url: String) throws(Problem) -> IdentityProviderAnswer {
    try state.withLock { (state) throws(Problem) in
      if state.isAway { throw Problem(.identityProviderAway, "away") }
      switch url {
      case "\(Self.issuer)/.well-known/openid-configuration":
        return Self.json(
          """
          {"issuer":"\(state.describedIssuer)","authorization_endpoint":"https://login.example.com/authorize",
          "token_endpoint":"https://login.example.com/token","jwks_uri":"https://login.example.com/keys",
          "response_types_supported":["code"],"claims_parameter_supported":false,"x":{"y":[1.5,null]}}
          """)
      case "https://login.example.com/keys":
        state.keyReadings += 1
        return Self.json(Self.keys(state))
      default: return IdentityProviderAnswer(status: 404, body: [])
      }
    }
  }

  private static func keys(_ state: State) -> String {
    let modulus = Base64URL.encode(state.rsa.publicKey.der[33..<289])
    let point = Array(state.p256.publicKey.der.suffix(64))
    return """
      {"keys":[{"kty":"oct","k":"AAAA"},{"kty":"RSA","use":"enc","kid":"\(state.keyID)","n":"AQAB","e":"AQAB"},
      {"kty":"RSA","use":"sig","alg":"RS256","kid":"\(state.keyID)","n":"\(modulus)","e":"AQAB"},
      {"kty":"EC","crv":"P-256","kid":"\(state.keyID)","x":"\(Base64URL.encode(point.prefix(32)))",
      "y":"\(Base64URL.encode(point.suffix(32)))"}]}
      """
  }

  func post(_ url: String, form: String, authorization: String?) throws(Problem) -> IdentityProviderAnswer {
    try state.withLock { (state) throws(Problem) in
      if state.isAway { throw Problem(.identityProviderAway, "away") }
      let fields = Self.fields(form)
      let isClient = authorization == "Basic " + "dXBtYzpzJTNBZWNyZXQlMkYlMkI="
      let verifier = fields["code_verifier"] ?? ""
      guard url == "https://login.example.com/token", isClient, fields["code"] == "good",
        fields["redirect_uri"] == "https://push.example.com/",
        Base64URL.encode(SHA256.hash(Array(verifier.utf8))) == state.challenge
      else { return IdentityProviderAnswer(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8)) }
      return Self.json(#"{"access_token":"x","token_type":"Bearer","id_token":"\#(Self.token(state, fields))"}"#)
    }
  }

  private static func token(_ state: State, _ fields: [String: String]) -> String {
    var claims: [String: String] = [
      "iss": "\"\(issuer)\"", "sub": "\"u-1\"", "aud": "\"upmc\"", "nonce": "\"\(state.nonce)\"",
      "iat": "\(seconds())", "exp": "\(seconds() + 300)", "email": "\"Jung@Example.com\"", "name": "\"Jung Hana\"",
      "groups": #"["everybody","push-staff"]"#, "apps": #"["com.example.bank"]"#,
    ]
    for (name, value) in state.changes { claims[name] = value }
    let body = "{" + claims.map { "\"\($0)\":\($1)" }.sorted().joined(separator: ",") + "}"
    let header = #"{"alg":"\#(state.algorithm)","kid":"\#(state.keyID)"}"#
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(body.utf8)
    if let spoils = state.spoils { return spoils(signed) }
    let message = Array(signed.utf8)
    let signature =
      state.algorithm == "ES256" ? state.p256.signature(for: message) : state.rsa.signature(for: message)
    return signed + "." + Base64URL.encode(signature)
  }

  private static func json(_ text: String) -> IdentityProviderAnswer {
    IdentityProviderAnswer(status: 200, body: Array(text.utf8))
  }

  /// Name and value of each pair, of which only blanks and a few signs are encoded here.
  static func fields(_ query: some StringProtocol) -> [String: String] {
    Dictionary(
      query.split(separator: "&").map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1)
        return (String(parts[0]), decode(parts.count > 1 ? parts[1] : ""))
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func decode(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func seconds() -> Int64 { SystemClock().wallTime.seconds }
}
