package import Crypto

/// Seals what confidential messages say, with a key that all servers of one database share and that the database holds only
/// sealed: AES-256-GCM, bound to the app.
package struct ContentSeal: Sendable {
  private let keys: [SymmetricKey]
  private let digests: HMAC

  /// - Parameter keys: the present one, then former ones that may still be needed; not empty.
  package init(_ keys: [SymmetricKey]) {
    precondition(!keys.isEmpty)
    self.keys = keys
    // One key, two purposes: neither result says anything of the other.
    digests = HMAC(key: KeyDerivation.hkdf(keys[0], purpose: "upmc request digest"))
  }

  private static func place(_ app: App.Number) -> [UInt8] { Array("content of app \(app)".utf8) }

  package func seal(_ content: [UInt8], of app: App.Number) -> [UInt8] {
    AESGCM.seal(content, using: keys[0], authenticating: Self.place(app))
  }

  /// Nil when it was sealed with another key, for another app, or was changed.
  package func open(_ sealed: [UInt8], of app: App.Number) -> [UInt8]? {
    for key in keys {
      if let content = AESGCM.open(sealed, using: key, authenticating: Self.place(app)) { return content }
    }
    return nil
  }

  /// Tells requests apart, like a hash, but for nobody without the key: six digits are soon tried out.
  package func digest(_ body: [UInt8]) -> [UInt8] {
    digests.authenticationCode(for: body)
  }

  /// A message's request as it was accepted, what it says included.
  /// - Throws: `.contentWiped` when what it says is gone, `.internalError` when it does not open.
  package func request(_ stored: [UInt8], sealed: [UInt8]?, of app: App.Number) throws(Problem) -> MessageRequest {
    let request = try MessageRequest(stored: stored)
    guard request.isContentSealed else { return request }
    return try MessageRequest(stored: SealedRequest.join(stored, try content(sealed, of: app)))
  }

  /// - Throws: as `request`.
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
