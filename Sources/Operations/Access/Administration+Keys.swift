package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Creates API keys for back-office systems and operators. `keys` lists them, and `revokeKey` revokes them.
extension Administration {
  package struct KeyCreated: DescribedAnswer {
    /// The API key in plain text. Only this response contains it, because the database stores just its hash.
    package let apiKey: String
    package let number: Int32
    package let role: Role
    package let endsAt: Timestamp?

    package static let object = JSONObject<KeyCreated>(
      "APIKeyCreated",
      [
        .always("apiKeyId", .sequence, \.number), .always("apiKey", .anyText, \.apiKey), .always("role", .role, \.role),
        .always("expiresAt", .orNull(.moment), \.endsAt),
      ])
  }

  package struct NewKey: Sendable {
    package var role = Role.viewer
    /// The only app the key may access; nil for all apps.
    package var appID: String?
    /// Name of the key's owner, shown in lists; may be empty.
    package var name = ""
    /// Time at which the key ends; nil if it never ends.
    package var endsAt: Timestamp?

    package static let object = JSONObject(
      "NewAPIKey", from: NewKey(),
      [
        .required("role", .role, \.role), .given("appId", .orNull(.appID), \.appID, "The only app it is for."),
        .given("name", nameForm, \.name, "Whose it is."),
        .given("expiresAt", .orNull(.moment), \.endsAt, "From then on it is refused; null or absent: it never ends."),
      ])

    private static let nameForm = JSONForm.name.described(
      JSONSchema.text(upTo: Operations.Limits.nameBytes, isEmptyAllowed: true))
  }

  /// Creates an API key and audits that. Nodes accept the key within a second.
  /// - Parameters:
  ///   - appID: the only app the key may access; nil for all apps.
  ///   - name: name of the key's owner, shown in lists; may be empty.
  ///   - endsAt: nil if the key never ends.
  /// - Throws: `.forbidden` without permission, or if a caller limited to one app omits the app or names another;
  ///   `.unknownApp`; `.conflict` if the app is being deleted, or has `keysOfApp` keys; `.invalidField` for a bad name
  ///   or an end that is not in the future.
  package static func createKey(
    _ role: Role, appID: String?, name: String = "", endsAt: Timestamp? = nil, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> KeyCreated {
    try caller.require(.manageApps)
    var app: App?
    if let appID {
      let only = try connection.app(appID)
      try caller.require(.manageApps, in: only)
      guard try connection.answer(KeyLists.count(of: only.number)) < Operations.Limits.keysOfApp else {
        throw Problem(
          .conflict,
          "The app \(appID) has \(Operations.Limits.keysOfApp) API keys, and can have no more. Revoke some first.")
      }
      app = only
    } else if caller.app != nil {
      throw Problem(.forbidden, "A key for one app cannot make a key for all.")
    }
    if !name.isEmpty { try check(name: name) }
    if let endsAt, try connection.answer(WallClock.now()) >= endsAt {
      throw Problem(at: "/expiresAt", "must be in the future")
    }
    // The prefix lets people and secret scanners recognize the key.
    let apiKey = "upmc_" + RandomToken.make()
    let number = try connection.commit { () throws(PostgresError) in
      let key = try connection.run(
        Secrets.createAPIKey(
          sha256: Authorization.hash(apiKey), role: role.rawValue, app: app?.number, name: name, endsAt: endsAt,
          madeBy: caller.asker, apiKey: caller.apiKey))
      try connection.run(Announcements.announce(Catalog.channel))
      let change = AuditTrail.Change("api-key.create", String(key), in: app).to { writer in
        writer.member("role", role.rawValue)
        writer.member("name", name)
        writer.member("appId", appID)
        writer.member("expiresAt", endsAt.map(\.description))
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return key
    }
    return KeyCreated(apiKey: apiKey, number: number, role: role, endsAt: endsAt)
  }
}

extension Operations.Limits {
  /// Maximum number of API keys of an app that are not revoked. Every node reads all of them every second, so one app's
  /// administrator must not be able to create any number.
  package static let keysOfApp: Int64 = 500
}
