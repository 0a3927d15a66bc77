package import Domain
package import JSON
package import Postgres
internal import Store

/// Lists, deletes and revokes credentials and API keys. Secrets are never shown.
extension Administration {
  // MARK: Credentials

  package struct CredentialEntry: DescribedAnswer {
    let record: CredentialLists.Credential

    package static let object = JSONObject<CredentialEntry>(
      "Credential", isNamed: false,
      [
        .always("appId", .appID, \.record.appID), .always("pnsId", .network, \.record.network),
        .always("kind", .words([apnsKeyKind, apnsCertificateKind, fcmServiceAccountKind]), \.record.kind),
        .always("updatedAt", .moment, \.record.updatedAt),
        .always("shown", .raw(shown), { Array($0.record.shown.utf8) }),
        CredentialChecks.Check.field.of(\.record.check),
      ])
    private static let shown = JSONSchema.oneOf([
      KeySet.publicPart.form.schema, CertificateSet.publicPart.form.schema, ServiceAccountSet.publicPart.form.schema,
    ])
  }

  /// A new credential. Exactly one of `key`, `certificate` and `account` is to be set; the others are nil.
  package struct NewCredential: Sendable {
    package var appID = ""
    package var key: APNsKey?
    package var certificate: APNsCertificate?
    package var account: FCMServiceAccount?
    /// Whether Apple is asked before `key` replaces the stored credential.
    package var isChecked = false

    package static let object = JSONObject(
      "NewCredential", about: "One of `apnsKey`, `apnsCertificate` and `fcmServiceAccount`.", from: NewCredential(),
      [
        .required("appId", .appID, \.appID), .given("apnsKey", APNsKey.object.form, \.key),
        .given("apnsCertificate", APNsCertificate.object.form, \.certificate),
        .given("fcmServiceAccount", FCMServiceAccount.object.form, \.account),
        .given(
          "check", .flag, \.isChecked,
          "True: Apple is asked first, and an `apnsKey` that it does not take replaces nothing."),
      ])
  }

  /// JSON Schema of the response to a new credential: its public properties, which depend on its kind.
  package static let credentialSet: JSONTree.Member = (
    "CredentialSet",
    JSONSchema.oneOf([
      KeySet.object.form.schema, CertificateSet.object.form.schema, ServiceAccountSet.object.form.schema,
    ])
  )
  package static let credentialParts: [JSONTree.Member] = [
    KeySet.object.named, CertificateSet.object.named, ServiceAccountSet.object.named,
    CredentialChecks.Check.object.named,
  ]

  /// Lists credentials in the order in which the apps were created, without their secrets.
  /// - Parameter appID: the only app to list; nil for all apps that the caller may access.
  /// - Throws: `.forbidden`, `.unknownApp`, `.invalidField` for another list's cursor.
  package static func credentials(
    of appID: String?, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<CredentialEntry> {
    try caller.require(.manageApps)
    let app = try scope(appID, .manageApps, caller, connection)
    var after: (app: App.Number, network: Int16) = (0, 0)
    if let cursor = page.cursor {
      let parts = cursor.split(separator: "-").compactMap { Int32($0) }
      guard parts.count == 2, let network = Int16(exactly: parts[1]) else { throw PageRequest.foreignCursor }
      after = (parts[0], network)
    }
    let records = try connection.answer(CredentialLists.page(of: app, after: after, limit: page.limit + 1))
    return ItemPage(records.map(CredentialEntry.init), limit: page.limit) {
      "\($0.record.app)-\($0.record.network.rawValue)"
    }
  }

  /// Deletes a credential and audits that. From then on, the app's devices on this network cannot be sent to.
  /// - Throws: `.notFound` if the app has no credential for the network, `.conflict` if the app is being deleted,
  ///   `.forbidden`, `.unknownApp`.
  package static func deleteCredential(
    of appID: String, _ network: PushNetwork, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    let isGone = try connection.commit { () throws(PostgresError) in
      guard let old = try connection.run(CredentialLists.delete(of: app.number, network)) else { return false }
      try connection.run(Announcements.announce(Catalog.channel))
      let change = AuditTrail.Change("credential.delete", "\(appID) \(network.pnsID)", in: app).from { writer in
        writer.member("kind", old.kind)
        writer.member("shown", raw: old.shown)
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
    guard isGone else { throw Problem(.notFound, "The app \(appID) has no credential for \(network.pnsID).") }
  }

  // MARK: API keys

  package struct KeyEntry: DescribedAnswer {
    let record: KeyLists.Record

    package static let object = JSONObject<KeyEntry>(
      "APIKey",
      [
        .always("apiKeyId", .sequence, \.record.number), .always("name", .anyText, \.record.name),
        .always("role", .role, \.record.role),
        .always("appId", .orNull(.anyText), \.record.appID, "The only app it is for; null: all."),
        .always("createdAt", .moment, \.record.createdAt), .always("revokedAt", .orNull(.moment), \.record.revokedAt),
        .always("expiresAt", .orNull(.moment), \.record.endsAt, "From then on it is refused; null: it never ends."),
        .always("lastUsedAt", .orNull(.moment), \.record.usedAt, "To the minute, a minute late; null: never used."),
      ])
  }

  /// Lists the API keys that may access an app: its own, and those for all apps. Includes revoked and expired keys, in
  /// the order of their numbers.
  /// - Parameter appID: the app; nil for the caller's only app, or for all keys if the caller may access all apps.
  /// - Throws: `.forbidden`, `.unknownApp`, `.invalidField` for another list's cursor.
  package static func keys(
    of appID: String?, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<KeyEntry> {
    try caller.require(.manageAccounts)
    let app = try scope(appID, .manageAccounts, caller, connection)
    let after = Int32(clamping: try page.number(first: 0))
    let records = try connection.answer(KeyLists.list(of: app, after: after, limit: page.limit + 1))
    return ItemPage(records.map(KeyEntry.init), limit: page.limit) { String($0.record.number) }
  }

  /// Revokes a key and audits that. All nodes refuse the key within a second. Repeating the call has no effect.
  /// - Throws: `.notFound` if there is no such key, or the caller is limited to one app and the key is not limited to
  ///   the same one; `.forbidden`.
  package static func revokeKey(
    _ number: Int32, by caller: Caller, on connection: Connection
  ) throws(Problem) -> KeyEntry {
    try caller.require(.manageAccounts)
    let record = try connection.commit { () throws(PostgresError) -> KeyLists.Record? in
      guard let key = try connection.run(KeyLists.lock(number)), caller.app == nil || key.app == caller.app else {
        return nil
      }
      guard key.revokedAt == nil else { return key }
      try connection.run(KeyLists.revoke(number))
      try connection.run(Announcements.announce(Catalog.channel))
      let change = AuditTrail.Change("api-key.revoke", String(number), app: key.app).from { writer in
        writer.member("name", key.name)
        writer.member("role", key.role)
        writer.member("appId", key.appID)
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return try connection.run(KeyLists.lock(number))
    }
    guard let record else { throw Problem(.notFound, "There is no API key \(number).") }
    return KeyEntry(record: record)
  }

  /// Returns the app that a request is limited to: the requested one, or else the caller's only one; nil if there is
  /// neither. Checks the permission only if an app is requested, so the caller must have checked it before.
  /// - Throws: `.unknownApp`; `.forbidden` if the caller lacks the permission in the requested app; `.conflict` if the
  ///   call would change that app and it is being deleted.
  static func scope(
    _ appID: String?, _ permission: Permission, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> App.Number? {
    guard let appID else { return caller.app }
    let app = try connection.app(appID)
    try caller.require(permission, in: app)
    return app.number
  }
}
