package import Crypto
package import Time

/// Creates and verifies `AUTHKEY`, the credential of apps built with the existing SDK.
///
/// A key is valid for half an hour, for the app and PSID that requested it and, once registered, for the device. It is
/// not bound to a user, so it remains valid when the user changes. New keys do not invalidate older ones. Keys are not
/// stored; raising the device's epoch invalidates what they prove about the device. Decision 106.
package struct SDKKeyring: Sendable {
  private let keys: LiveKeys<HMAC>

  package init(key: SymmetricKey, others: [SymmetricKey] = []) {
    keys = LiveKeys(HMAC(key: key), others: others.map { HMAC(key: $0) })
  }

  /// Replaces the keys in every copy of this keyring: `present` signs, and all of them verify.
  package func replace(with present: SymmetricKey, others: [SymmetricKey]) {
    keys.replace(with: HMAC(key: present), others: others.map { HMAC(key: $0) })
  }

  /// The subject of a valid key: the app, the PSID and the device for which it was issued.
  package struct Subject: Equatable, Sendable {
    package let app: App.Number
    private let psidDigest: String
    /// The registered device, its epoch, and whether the key was issued for the token alone; nil if the device was not
    /// registered yet.
    package let claim: AuthKeyring.Claim?

    init(app: App.Number, psidDigest: String, claim: AuthKeyring.Claim?) {
      self.app = app
      self.psidDigest = psidDigest
      self.claim = claim
    }

    package init(app: App.Number, psid: String, claim: AuthKeyring.Claim?) {
      self.init(app: app, psidDigest: SDKKeyring.digest(psid), claim: claim)
    }

    /// Returns whether the key was requested with this PSID.
    package func covers(psid: String) -> Bool { psidDigest == SDKKeyring.digest(psid) }

    fileprivate var text: String {
      "\(app).\(psidDigest).\(claim.map { "\($0.device).\($0.isTokenOnly ? "a" : "")\($0.epoch)" } ?? "-.0")"
    }
  }

  package enum Verdict: Equatable, Sendable {
    case genuine(Subject)
    case expired
    /// The key is malformed, or was not created with one of this keyring's keys.
    case forged
  }

  /// Returns a new AUTHKEY, which is valid for `sdkKeyLifetime` from `now`.
  package func make(_ subject: Subject, now: Timestamp) -> String {
    let text = "\(subject.text).\((now + Domain.Limits.sdkKeyLifetime).seconds)"
    return "\(text).\(Self.seal(text, keys.present))"
  }

  /// Verifies an AUTHKEY. Does not check whether the epoch in its claim is the device's current one.
  package func verify(_ authKey: String, now: Timestamp) -> Verdict {
    guard authKey.utf8.count <= Domain.Limits.sdkKeyBytes else { return .forged }
    let parts = authKey.split(separator: ".", omittingEmptySubsequences: false)
    let isTokenOnly = parts.count == 6 && parts[3].hasPrefix("a")
    guard parts.count == 6, let app = App.Number(parts[0]), let epoch = Int16(parts[3].dropFirst(isTokenOnly ? 1 : 0)),
      let end = Int64(parts[4])
    else { return .forged }
    let (given, text) = (Array(parts[5].utf8), parts[..<5].joined(separator: "."))
    guard keys.all.contains(where: { ConstantTime.isEqual(given, Array(Self.seal(text, $0).utf8)) }) else {
      return .forged
    }
    guard now.seconds < end else { return .expired }
    let claim = DeviceID(parts[2]).map { AuthKeyring.Claim(device: $0, epoch: epoch, isTokenOnly: isTokenOnly) }
    return .genuine(Subject(app: app, psidDigest: String(parts[1]), claim: claim))
  }

  /// Returns the signature of a text, 40 hex digits. The prefix keeps these signatures distinct from others made with
  /// the same secret.
  private static func seal(_ text: String, _ hmac: HMAC) -> String {
    let message = Array("AUTHKEY of the SDK \(text)".utf8)
    return Hex.encode(hmac.authenticationCode(for: message).prefix(20))
  }

  private static func digest(_ psid: String) -> String {
    Hex.encode(SHA256.hash(Array(psid.utf8)).prefix(16))
  }
}

extension Domain.Limits {
  /// Validity of an SDK key. The SDK requests a new one when it has expired.
  package static let sdkKeyLifetime: Duration = .seconds(1_800)
  /// Maximum length of a key in bytes, more than any genuine one has: two numbers, a UUID, two digests and a time.
  static let sdkKeyBytes = 256
}
