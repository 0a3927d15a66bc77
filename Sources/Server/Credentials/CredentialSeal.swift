package import Domain
package import Operations
package import Store
internal import TLS

/// Decrypts and parses a push network credential, without sending anything with it.
package enum CredentialSeal {
  /// Decrypts and parses a credential. Returns its expiration in seconds since 1970; nil for keys and service accounts,
  /// which do not expire.
  /// - Throws: one sentence that says what is wrong with it.
  package static func open(
    _ credential: Secrets.Credential, _ master: MasterKey, tokens: TokenAddress = TokenAddress()
  ) throws -> Int64? {
    switch credential.network {
    case .apns:
      guard case .certificate(let identity) = try APNsSecret(credential, master) else { return nil }
      return identity.certificate.notAfter
    case .fcm:
      let place = Administration.place(ofCredentialFor: credential.app, credential.network)
      let json = String(decoding: try master.open(credential.sealed, for: place), as: UTF8.self)
      do throws(ServiceAccount.Mistake) {
        _ = try ServiceAccount(json: json, tokens: tokens)
      } catch {
        throw ServerError("it \(error.description)")
      }
      return nil
    }
  }
}
