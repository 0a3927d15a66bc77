internal import Crypto
package import Domain
package import JSON
package import Postgres
package import Store

/// What opens a push network for an app.
extension Administration {
  /// Apple's token-based authentication: a .p8 key, made in the developer account.
  package struct APNsKey: Sendable {
    package let pem: String
    package let keyID: String
    package let teamID: String

    package init(pem: String, keyID: String, teamID: String) {
      self.pem = pem
      self.keyID = keyID
      self.teamID = teamID
    }
  }

  package struct CredentialSet: JSONAnswer {
    package let appID: String
    package let network: PushNetwork
    package let keyID: String
    package let teamID: String
    /// What Apple said of it; nil when no server has asked yet.
    package let check: CredentialChecks.Check?

    package func write(to writer: inout JSONWriter) {
      writer.member("appId", appID)
      writer.member("pnsId", network.pnsID)
      writer.member("keyId", keyID)
      writer.member("teamId", teamID)
      writer.member(check: check)
    }
  }

  /// The kind of credential, as it is stored.
  package static let apnsKeyKind = "apns-key"

  /// The name that a credential is sealed for.
  package static func place(ofCredentialFor app: App.Number, _ network: PushNetwork) -> String {
    "credential \(app) \(network.pnsID.lowercased())"
  }

  /// Stores the key, in place of an earlier one, and ends a pause: the fault may have been the old key.
  package static func setCredential(
    _ key: APNsKey, of appID: String, master: MasterKey, by caller: Caller, on connection: Connection
  ) throws(Problem) -> CredentialSet {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    try check(key)
    let sealed = master.seal(Array(key.pem.utf8), for: place(ofCredentialFor: app.number, .apns))
    var shown = JSONWriter()
    shown.object { writer in
      writer.member("keyId", key.keyID)
      writer.member("teamId", key.teamID)
    }
    let credential = Secrets.Credential(
      app: app.number, network: .apns, kind: apnsKeyKind, publicPart: String(decoding: shown.bytes, as: UTF8.self),
      sealed: sealed)
    try connection.commit { () throws(PostgresError) in
      try connection.run(Secrets.save(credential))
      // A running server learns of the new key by this, and tries it at once.
      try release(app, on: connection)
      try connection.run(AuditTrail.add(auditing(credential, of: app), by: caller))
    }
    try QuarantineService.restoreAfterNewCredential(app, on: connection)
    return CredentialSet(
      appID: app.appID, network: .apns, keyID: key.keyID, teamID: key.teamID,
      check: try awaitCheck(app.number, .apns, on: connection))
  }

  /// What the audit log keeps of a credential: only what may be shown.
  static func auditing(_ credential: Secrets.Credential, of app: App) -> AuditTrail.Change {
    AuditTrail.Change("credential.set", "\(app.appID) \(credential.network.pnsID)", in: app).to { writer in
      writer.member("kind", credential.kind)
      writer.member("shown", raw: credential.publicPart.utf8)
    }
  }

  private static func check(_ key: APNsKey) throws(Problem) {
    try check(key.keyID, at: "/keyId", "key id")
    try check(key.teamID, at: "/teamId", "team id")
    guard key.pem.utf8.count <= Operations.Limits.credentialBytes else {
      throw Problem(
        at: "/apnsKey", "is longer than \(Operations.Limits.credentialBytes) bytes; a .p8 file has about 260")
    }
    do {
      _ = try P256.PrivateKey(pem: key.pem)
    } catch {
      throw Problem(
        at: "/apnsKey",
        """
        must be the .p8 file as Apple gave it out: a private key on the curve P-256 in PEM, \
        beginning with -----BEGIN PRIVATE KEY-----
        """)
    }
  }

  private static func check(_ id: String, at pointer: String, _ name: String) throws(Problem) {
    let isValid =
      id.utf8.count == Operations.Limits.appleIDCharacters
      && id.utf8.allSatisfy { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
    guard isValid else {
      throw Problem(
        at: pointer,
        "must be a \(name) of Apple's: \(Operations.Limits.appleIDCharacters) capital letters and digits")
    }
  }
}
