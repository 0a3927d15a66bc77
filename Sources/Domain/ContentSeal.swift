package import Crypto

/// Encrypts and decrypts the content of confidential messages with AES-256-GCM, bound to the app. All servers of a
/// database share the key, which the database stores only in encrypted form.
package struct ContentSeal: Sendable {
  /// A key that encrypts content, and a key derived from it for digests of requests.
  private struct Key: Sendable {
    let seal: SymmetricKey
    let digests: HMAC

    init(_ key: SymmetricKey) {
      seal = key
      // Derived, so that one stored key serves both purposes and neither result reveals anything about the other.
      digests = HMAC(key: KeyDerivation.hkdf(key, purpose: "upmc request digest"))
    }
  }

  private let keys: LiveKeys<Key>

  /// Creates a seal.
  /// - Parameter keys: the current key, followed by former ones that may still be needed; not empty.
  package init(_ keys: [SymmetricKey]) {
    precondition(!keys.isEmpty)
    self.keys = LiveKeys(Key(keys[0]), others: keys.dropFirst().map(Key.init))
  }

  /// Replaces the keys in every copy of this seal: `present` encrypts, and all of them decrypt.
  package func replace(with present: SymmetricKey, others: [SymmetricKey]) {
    keys.replace(with: Key(present), others: others.map(Key.init))
  }

  private static func place(_ app: App.Number) -> [UInt8] { Array("content of app \(app)".utf8) }

  package func seal(_ content: [UInt8], of app: App.Number) -> [UInt8] {
    AESGCM.seal(content, using: keys.present.seal, authenticating: Self.place(app))
  }

  /// Decrypts content. Returns nil if it was encrypted with another key or for another app, or was modified.
  package func open(_ sealed: [UInt8], of app: App.Number) -> [UInt8]? {
    for key in keys.all {
      if let content = AESGCM.open(sealed, using: key.seal, authenticating: Self.place(app)) { return content }
    }
    return nil
  }

  /// Returns a digest of a request, made with the current key, by which repeated requests are recognized (`isDigest`).
  /// A hash without key would reveal six-digit codes to brute force.
  package func digest(_ body: [UInt8]) -> [UInt8] {
    keys.present.digests.authenticationCode(for: body)
  }

  /// Returns whether a digest is of this body, made with the current key or a former one.
  package func isDigest(_ digest: [UInt8], of body: [UInt8]) -> Bool {
    keys.all.contains { $0.digests.authenticationCode(for: body) == digest }
  }

  /// Returns a message's request as it was accepted, including its content.
  /// - Parameters:
  ///   - stored: the request as stored with the message.
  ///   - sealed: its encrypted content; nil if it was wiped or the message is not confidential.
  /// - Throws: `.contentWiped` if the content was wiped, `.internalError` if it cannot be decrypted, and the errors of
  ///   `MessageRequest.init(stored:)`.
  package func request(_ stored: [UInt8], sealed: [UInt8]?, of app: App.Number) throws(Problem) -> MessageRequest {
    let request = try MessageRequest(stored: stored)
    guard request.isContentSealed else { return request }
    return try MessageRequest(stored: SealedRequest.join(stored, try content(sealed, of: app)))
  }

  /// Decrypts the content of a confidential message.
  /// - Throws: `.contentWiped` if `sealed` is nil, `.internalError` if it cannot be decrypted.
  package func content(_ sealed: [UInt8]?, of app: App.Number) throws(Problem) -> [UInt8] {
    guard let sealed else {
      throw Problem(
        .contentWiped,
        "What this message said was confidential and is wiped: the message is over. Send a new one.")
    }
    guard let content = open(sealed, of: app) else {
      throw Problem(
        .internalError, "A confidential message does not open with this server's keys. Was it moved from another app?")
    }
    return content
  }
}
