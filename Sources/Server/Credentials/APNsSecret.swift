internal import APNs
internal import Operations
internal import Store
internal import TLS

/// An app's decrypted APNs credential.
enum APNsSecret {
  case key(SigningKey)
  case certificate(TLSIdentity)

  init(_ credential: Secrets.Credential, _ master: MasterKey) throws {
    let place = Administration.place(ofCredentialFor: credential.app, credential.network)
    let pem = String(decoding: try master.open(credential.sealed, for: place), as: UTF8.self)
    switch credential.kind {
    case Administration.apnsKeyKind:
      let names = try APNsKeyNames(json: credential.publicPart)
      self = .key(try SigningKey(p8: pem, keyID: names.keyID, teamID: names.teamID))
    case Administration.apnsCertificateKind:
      self = .certificate(try TLSIdentity(pem: pem))
    default:
      throw ServerError("The credential is of the kind \(credential.kind), which this version does not know.")
    }
  }
}
