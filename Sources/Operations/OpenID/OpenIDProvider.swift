internal import Domain
internal import JSON
internal import Synchronization
internal import Time

/// The identity provider: its metadata (discovery), its keys, and the exchange of a code for an ID token.
///
/// Metadata and keys are cached. If no cached key has signed a token, the keys are fetched again, so a rotation is
/// noticed immediately, but not more often than every few seconds, because anyone can name an unknown key. Callable
/// from any thread; calls that fetch something block.
package final class OpenIDProvider: Sendable {
  package let settings: OpenIDSettings
  private let calls: any IdentityProviderCalls
  private let memory = Mutex(Memory())

  private struct Memory {
    var description: Description?
    var describedAt: Timestamp = .zero
    var keys: [JSONWebKey] = []
    var keysAt: Timestamp = .zero
    /// Time of the last fetch that was made because no key had signed a token.
    var searchedAt: Timestamp = .zero
  }

  /// Endpoints from the provider's metadata.
  struct Description: Sendable {
    let authorization: String
    let token: String
    let keys: String
    /// Whether a client with a secret authenticates at the token endpoint with a header (`client_secret_basic`); if
    /// false, it does so in the form.
    let takesHeader: Bool
  }

  package init(_ settings: OpenIDSettings, calls: any IdentityProviderCalls) {
    self.settings = settings
    self.calls = calls
  }

  // MARK: Discovery

  /// Returns the provider's metadata, from the cache or by fetching them.
  /// - Throws: `.identityProviderAway` if they cannot be fetched, or are those of another issuer or unusable.
  func description(now: Timestamp) throws(Problem) -> Description {
    let kept = memory.withLock {
      $0.describedAt > now - .seconds(Operations.Limits.descriptionSeconds) ? $0.description : nil
    }
    if let kept { return kept }
    let base = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
    let url = base + "/.well-known/openid-configuration"
    let answer = try calls.get(url)
    guard answer.status == 200, let members = try? TokenClaims(answer.body) else {
      throw Self.away("\(url) has no description")
    }
    guard members.text("issuer") == settings.issuer else {
      throw Self.away("\(url) describes another issuer than UPMC_OIDC_ISSUER names")
    }
    guard let authorization = members.text("authorization_endpoint"), let token = members.text("token_endpoint"),
      let keys = members.text("jwks_uri"), [authorization, token, keys].allSatisfy(isProtected)
    else { throw Self.away("\(url) names no usable endpoints") }
    let methods = members.texts("token_endpoint_auth_methods_supported")
    let description = Description(
      authorization: authorization, token: token, keys: keys,
      takesHeader: methods.isEmpty || methods.contains("client_secret_basic"))
    memory.withLock { memory in
      memory.description = description
      memory.describedAt = now
    }
    return description
  }

  /// Returns whether a URL uses HTTPS, or plain HTTP if the issuer itself does.
  private func isProtected(_ url: String) -> Bool {
    url.hasPrefix("https://") || settings.issuer.hasPrefix("http://") && url.hasPrefix("http://")
  }

  private static func away(_ detail: Sentence) -> Problem {
    Problem(.identityProviderAway, "The identity provider cannot be used: \(detail).")
  }

  // MARK: Keys

  /// Returns the claims of a token that passes every check, or the check that failed.
  /// - Parameter nonce: the nonce of the sign-in that the token must belong to.
  /// - Throws: `.identityProviderAway` if keys are needed that cannot be fetched.
  func verified(_ text: String, nonce: String, now: Timestamp) throws(Problem) -> Result<TokenClaims, OpenIDFault> {
    let token: IDToken
    do throws(OpenIDFault) {
      token = try IDToken(text)
    } catch {
      return .failure(error)
    }
    let keys = try keys(for: token, now: now)
    let expected = IDToken.Expectation(issuer: settings.issuer, audience: settings.clientID, nonce: nonce, now: now)
    return Result { () throws(OpenIDFault) in try token.verified(by: keys, expected) }
  }

  private func keys(for token: IDToken, now: Timestamp) throws(Problem) -> [JSONWebKey] {
    let kept = memory.withLock { memory -> [JSONWebKey]? in
      let isFresh = memory.keysAt > now - .seconds(Operations.Limits.keySeconds)
      if isFresh, token.isSigned(by: memory.keys) { return memory.keys }
      if isFresh, memory.searchedAt > now - .seconds(settings.keyPauseSeconds) { return memory.keys }
      if isFresh { memory.searchedAt = now }
      return nil
    }
    if let kept { return kept }
    let url = try description(now: now).keys
    let answer = try calls.get(url)
    guard answer.status == 200, let keys = try? JSONWebKey.set(answer.body) else {
      throw Self.away("\(url) has no keys")
    }
    memory.withLock { memory in
      memory.keys = keys
      memory.keysAt = now
    }
    return keys
  }

  // MARK: The code

  /// Exchanges a code for an ID token, which the caller verifies with `verified`.
  /// - Parameter verifier: the code verifier (PKCE) of the sign-in.
  /// - Returns: the token's text, or a fault if the provider refuses the code or responds without an ID token.
  /// - Throws: `.identityProviderAway` if the provider cannot be reached or fails itself (status 500 and above).
  func exchange(_ code: String, verifier: String, now: Timestamp) throws(Problem) -> Result<String, OpenIDFault> {
    let description = try description(now: now)
    var form = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", settings.redirectURL),
      ("code_verifier", verifier),
    ]
    var authorization: String?
    if let secret = settings.clientSecret, description.takesHeader {
      // Encode both before joining them (RFC 6749 §2.3.1).
      let pair = FormText.encode(settings.clientID) + ":" + FormText.encode(secret)
      authorization = "Basic " + FormText.base64(pair)
    } else {
      form.append(("client_id", settings.clientID))
      if let secret = settings.clientSecret { form.append(("client_secret", secret)) }
    }
    let answer = try calls.post(description.token, form: FormText.form(form), authorization: authorization)
    guard answer.status < 500 else { throw Self.away("its token endpoint answers \(answer.status)") }
    let members = try? TokenClaims(answer.body)
    guard answer.status == 200, let token = members?.text("id_token") else {
      let word = members?.text("error").map { " (\($0.prefix(64)))" } ?? ""
      return .failure(OpenIDFault("code", "holds a code that the provider itself does not take\(word)"))
    }
    return .success(token)
  }
}

extension Operations.Limits {
  /// Seconds for which the provider's metadata are cached.
  static let descriptionSeconds: Int64 = 3600
  /// Seconds for which the provider's keys are cached; short, so that a withdrawn key is soon refused.
  static let keySeconds: Int64 = 600
  /// Default minimum number of seconds between two fetches of the keys that are made because no cached key has signed a
  /// token.
  package static let keyPauseSeconds: Int64 = 5
}
