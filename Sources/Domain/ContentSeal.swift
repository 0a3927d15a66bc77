package import Crypto

/// Seals what confidential messages say, with a key that all servers of one database share and that the database holds only
/// sealed: AES-256-GCM, bound to the app.
package struct ContentSeal: Sendable {
  private let keys: [SymmetricKey]
  private let digestKey: SymmetricKey

  /// - Parameter keys: the present one, then former ones that may still be needed; not empty.
  package init(_ keys: [SymmetricKey]) {
    precondition(!keys.isEmpty)
    self.keys = keys
    // One key, two purposes: neither result says anything of the other.
    digestKey = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: keys[0], info: Array("upmc request digest".utf8), outputByteCount: 32)
  }

  private static func place(_ app: App.Number) -> [UInt8] { Array("content of app \(app)".utf8) }

  package func seal(_ content: [UInt8], of app: App.Number) -> [UInt8] {
    do {
      // `combined` is nil only for nonces of a size that we do not use.
      return try AES.GCM.seal(content, using: keys[0], authenticating: Self.place(app)).combined.map { Array($0) } ?? []
    } catch {
      preconditionFailure("AES-GCM refused a 256-bit key: \(error)")
    }
  }

  /// Nil when it was sealed with another key, for another app, or was changed.
  package func open(_ sealed: [UInt8], of app: App.Number) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
    for key in keys {
      if let content = try? AES.GCM.open(box, using: key, authenticating: Self.place(app)) { return Array(content) }
    }
    return nil
  }

  /// Tells requests apart, like a hash, but for nobody without the key: six digits are soon tried out.
  package func digest(_ body: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: body, using: digestKey))
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
