package import Crypto

/// Encrypts the content of confidential messages with AES-256-GCM, bound to the app. All servers of a database share
/// the key, which the database stores only in encrypted form.
package struct ContentSeal: Sendable {
  private let keys: [SymmetricKey]
  private let digests: HMAC

  /// - Parameter keys: the current key, followed by former ones that may still be needed; not empty.
  package init(_ keys: [SymmetricKey]) {
    precondition(!keys.isEmpty)
    self.keys = keys
    // A derived key, so that neither of the two uses reveals anything about the other.
    digests = HMAC(key: KeyDerivation.hkdf(keys[0], purpose: "upmc request digest"))
  }

  private static func place(_ app: App.Number) -> [UInt8] { Array("content of app \(app)".utf8) }

  package func seal(_ content: [UInt8], of app: App.Number) -> [UInt8] {
    AESGCM.seal(content, using: keys[0], authenticating: Self.place(app))
  }

  /// Decrypts. Returns nil if the content was sealed with another key or for another app, or was modified.
  package func open(_ sealed: [UInt8], of app: App.Number) -> [UInt8]? {
    for key in keys {
      if let content = AESGCM.open(sealed, using: key, authenticating: Self.place(app)) { return content }
    }
    return nil
  }

  /// Returns a keyed digest of a request, to recognize repetitions. A plain hash would let six-digit codes be found by
  /// brute force.
  package func digest(_ body: [UInt8]) -> [UInt8] {
    digests.authenticationCode(for: body)
  }

  /// Returns a message's request as it was accepted, including its content.
  /// - Throws: `.contentWiped` if the content was wiped, `.internalError` if it cannot be decrypted.
  package func request(_ stored: [UInt8], sealed: [UInt8]?, of app: App.Number) throws(Problem) -> MessageRequest {
    let request = try MessageRequest(stored: stored)
    guard request.isContentSealed else { return request }
    return try MessageRequest(stored: SealedRequest.join(stored, try content(sealed, of: app)))
  }

  /// Decrypts the content of a message.
  /// - Throws: like `request`.
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
