internal import Crypto
package import Domain
package import JSON
package import Postgres
package import Store

/// Stores credentials for the push networks.
extension Administration {
  /// Apple's token-based authentication: a .p8 key, created in the developer account.
  package struct APNsKey: Sendable {
    package var pem: String
    package var keyID: String
    package var teamID: String

    package init(pem: String, keyID: String, teamID: String) {
      self.pem = pem
      self.keyID = keyID
      self.teamID = teamID
    }

    static let object = JSONObject(
      "APNsKey", isNamed: false, from: APNsKey(pem: "", keyID: "", teamID: ""),
      [
        .required("pem", .credential(JSONSchema.givenText.adding("format", "p8")), \.pem, "The .p8 file, as a text."),
        .required("keyId", .appleID, \.keyID), .required("teamId", .appleID, \.teamID),
      ])
  }

  package struct KeySet: DescribedAnswer {
    package let appID: String
    package let keyID: String
    package let teamID: String
    /// Result of the check with Apple; nil if no server has made it yet.
    package var check: CredentialChecks.Check?

    package static let object = JSONObject<KeySet>(
      "KeySet", about: "Of an APNs key.",
      [.always("appId", .appID, \.appID), .always("pnsId", .network, { _ in .apns })] + shown
        + [CredentialChecks.Check.field.of(\.check)])
    /// The public properties of the credential, which are stored unencrypted next to it.
    static let publicPart = JSONObject<KeySet>("KeyShown", isNamed: false, shown)

    private static let shown: [JSONField<KeySet>] = [
      .always("keyId", .anyText, \.keyID, "Of the key."),
      .always("teamId", .anyText, \.teamID, "Of the team that it belongs to."),
    ]
  }

  /// Stored name of this kind of credential.
  package static let apnsKeyKind = "apns-key"

  /// Returns the name of the place that a credential's encryption is bound to.
  package static func place(ofCredentialFor app: App.Number, _ network: PushNetwork) -> String {
    "credential \(app) \(network.pnsID.lowercased())"
  }

  /// Stores the key in place of the app's earlier APNs key or certificate. Ends a pause, which the old credential may
  /// have caused, and restores devices quarantined because of it. Then waits up to three seconds for the check by a
  /// server; without one, `check` in the result is nil.
  /// - Parameters:
  ///   - isChecked: whether to ask Apple before storing the key. A running server asks afterwards in any case.
  ///   - trial: asks Apple; required if `isChecked`.
  /// - Throws: `.invalidField` if the key or an id is malformed; `.conflict` if the app is being deleted; `.forbidden`;
  ///   `.unknownApp`; with `isChecked` also `.impossible` if Apple refuses the key, `.networkAway` if Apple cannot be
  ///   asked, `.notConfigured` without `trial`. Nothing has changed then.
  package static func setCredential(
    _ key: APNsKey, of appID: String, master: MasterKey, by caller: Caller, on connection: Connection,
    isChecked: Bool = false, trial: (any KeyTrial)? = nil
  ) throws(Problem) -> KeySet {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    try check(key)
    if isChecked { try tryOut(key, for: app, trial, on: connection) }
    var set = KeySet(appID: app.appID, keyID: key.keyID, teamID: key.teamID)
    try store(
      Credential(
        network: .apns, kind: apnsKeyKind, publicPart: KeySet.publicPart.text(of: set), secret: Array(key.pem.utf8)),
      of: app, master: master, by: caller, on: connection)
    set.check = try awaitCheck(app.number, .apns, on: connection)
    return set
  }

  /// A credential to store.
  struct Credential {
    let network: PushNetwork
    let kind: String
    /// Public properties, as JSON.
    let publicPart: String
    /// The secret part, which is stored encrypted.
    let secret: [UInt8]
  }

  /// Encrypts and stores the credential in place of the app's earlier one for the same network, and audits that. Ends
  /// the app's pause, which the old credential may have caused. After that commit, restores the app's devices that are
  /// quarantined because APNs rejected the credential for their environment.
  static func store(
    _ credential: Credential, of app: App, master: MasterKey, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let place = place(ofCredentialFor: app.number, credential.network)
    let sealed = Secrets.Credential(
      app: app.number, network: credential.network, kind: credential.kind, publicPart: credential.publicPart,
      sealed: master.seal(credential.secret, for: place))
    // The audit log keeps only the public properties.
    let set = AuditTrail.Change("credential.set", "\(app.appID) \(credential.network.pnsID)", in: app).to { writer in
      writer.member("kind", credential.kind)
      writer.member("shown", raw: credential.publicPart)
    }
    try connection.commit { () throws(PostgresError) in
      let old = try connection.run(CredentialLists.lock(of: app.number, credential.network))
      let reason = try connection.run(AppPauses.reason(of: app.number))
      var change = set
      if old != nil || reason != nil {
        change = set.from { writer in
          if let old {
            writer.member("kind", old.kind)
            writer.member("shown", raw: old.shown)
          }
          // The pause ends with it.
          if let reason { writer.member("pausedReason", reason) }
        }
      }
      // End the pause and wake the dispatcher. Running servers load the new credential within a second.
      try release(app, on: connection)
      // Behind whatever waits for a lock: its time must not be long before others can read it.
      try connection.run(Secrets.save(sealed))
      try connection.run(AuditTrail.add(change, by: caller))
    }
    // Only Apple's environments have credentials of their own.
    if credential.network == .apns { try QuarantineService.restoreAfterNewCredential(app, on: connection) }
  }

  private static func check(_ key: APNsKey) throws(Problem) {
    try check(key.keyID, at: "/apnsKey/keyId", "key id")
    try check(key.teamID, at: "/apnsKey/teamId", "team id")
    guard key.pem.utf8.count <= Operations.Limits.credentialBytes else {
      throw Problem(
        at: "/apnsKey/pem", "is longer than \(Operations.Limits.credentialBytes) bytes; a .p8 file has about 260")
    }
    do {
      _ = try P256.PrivateKey(pem: key.pem)
    } catch {
      throw Problem(
        at: "/apnsKey/pem",
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

extension JSONForm<String> {
  /// Form of a key id or team id.
  fileprivate static let appleID = JSONForm.anyText.described(JSONSchema.text(matching: "^[A-Z0-9]{10}$"))

  /// Returns the form of a credential file, as text.
  static func credential(_ schema: JSONTree) -> JSONForm {
    .text(upTo: Operations.Limits.credentialBytes).described(schema)
  }
}
