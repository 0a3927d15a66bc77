package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Changes the rules by which an app establishes the user of a device.
extension Administration {
  /// Changes to an app's identity rules; a nil rule stays as it is.
  package struct IdentityChange: Equatable, Sendable {
    package var identity: App.Identity?
    /// Confirmation of a stricter identity: the maximum number of active devices bound to a user with less proof than
    /// it requires. Those that still lack the proof when the grace period ends become guests. Nil confirms nothing, so
    /// the change is refused if there is such a device.
    package var unprovedBindings: Int64?
    /// A stricter identity to try out; nil leaves the trial unchanged. `.some(nil)` ends it, as does an identity that
    /// is not stricter than the app's.
    package var observed: App.Identity??
    /// Whether the app's user-proof secret is replaced, which invalidates proofs made with the current one.
    package var renewsSecret = false
    package var keepsUserOnRefresh: Bool?
    package var keepsConfidentialToProved: Bool?
    package var tellsDevices: Bool?

    package init() {}
  }

  /// Applies the changes to `app`, whose row the caller has locked in this transaction. Stores nothing; the caller
  /// saves `app`.
  /// - Parameter lax: devices bound to a user with less proof than an identity requires, counted before the lock; nil
  ///   if they are still to be counted.
  /// - Returns: nil if the change is allowed; otherwise the problem, and `app` must not be saved.
  static func change(
    _ app: inout App, _ change: IdentityChange, lax: [App.Identity: Int64]?, on connection: Connection
  ) throws(PostgresError) -> Problem? {
    if let identity = change.identity, identity != app.identity {
      if let problem = try move(&app, to: identity, change, lax, on: connection) { return problem }
    }
    if let observed = change.observed { app.identityRules.observed = observed.flatMap { $0 > app.identity ? $0 : nil } }
    if change.renewsSecret { app.identityRules.proofGeneration &+= 1 }
    if let keeps = change.keepsUserOnRefresh { app.identityRules.keepsUserOnRefresh = keeps }
    if let keeps = change.keepsConfidentialToProved { app.identityRules.keepsConfidentialToProved = keeps }
    if let tells = change.tellsDevices { app.identityRules.tellsDevices = tells }
    guard app.identity == .open || !app.identityRules.keepsUserOnRefresh else {
      return Problem(
        at: "/keepsUserOnRefresh", "is for apps that are open: elsewhere a DEVICE_ID moves nobody's pushes")
    }
    return nil
  }

  private static func move(
    _ app: inout App, to identity: App.Identity, _ change: IdentityChange, _ counted: [App.Identity: Int64]?,
    on connection: Connection
  ) throws(PostgresError) -> Problem? {
    var graceEndsAt: Timestamp?
    if identity > app.identity {
      // Another change may have made a count necessary only now.
      let counts = if let counted { counted } else { try connection.run(Bindings.countLax(in: app.number)) }
      let lax = counts[identity] ?? 0
      if lax > 0 {
        guard let observed = app.identityRules.observed, observed >= identity else {
          return Problem(
            .conflict,
            """
            \(lax) devices have a user that nobody vouched for in the way of \(identity.name). Observe it first \
            (`upmc app policy \(app.appID) --observe \(identity.name)`), and look at what it would refuse \
            (`upmc app identity \(app.appID)`).
            """)
        }
        guard lax <= change.unprovedBindings ?? 0 else {
          return Problem(
            .conflict,
            """
            \(lax) devices have a user that nobody vouched for in the way of \(identity.name). They get ordinary \
            messages for 30 days more and then become guests. If that is right, say so: unprovedBindings \(lax) \
            (`--unproved \(lax)`).
            """)
        }
      }
      // A grace period is needed even if no device is affected now: nodes learn of the change a moment later, and
      // inactive devices can return.
      let grace = lax > 0 ? Operations.Limits.identityGracePeriod : Operations.Limits.shortGracePeriod
      graceEndsAt = try connection.run(WallClock.now()) + grace
    }
    app.identityRules.identity = identity
    app.identityRules.graceEndsAt = graceEndsAt
    if identity != .open { app.identityRules.keepsUserOnRefresh = change.keepsUserOnRefresh ?? false }
    if let observed = app.identityRules.observed, observed <= identity { app.identityRules.observed = nil }
    return nil
  }

  // MARK: Status

  /// Status of an app's identity rules.
  package struct IdentityStanding: DescribedAnswer {
    package let app: App
    /// For `.proof` and for `.strict`, the number of active devices bound to a user with less proof than it requires.
    package let unproved: [App.Identity: Int64]
    /// Counts of the last 30 days: requests that the identity rule refused, or that the rule being tried out would have
    /// refused, and devices that became guests.
    let refusals: Bindings.Refusals

    package static let object = JSONObject<IdentityStanding>(
      "IdentityStanding",
      [
        .always("appId", .appID, \.app.appID),
        .always("identity", .identity, \.app.identity, App.IdentityRules.about),
        .always("observedIdentity", .orNull(.identity), \.app.identityRules.observed),
        .always("graceEndsAt", .orNull(.moment), \.app.identityRules.graceEndsAt),
        .always("unprovedBindings", unprovedBindings.form, \.unproved),
        .always(
          "unprovedRegistrations", .count, \.refusals.unproved,
          "Devices of the last 30 days that named a user and had nobody to vouch for it."),
        .always(
          "callsByAskedKeys", .count, \.refusals.asked,
          "Calls of the last 30 days that an AUTHKEY asked for by the PSID alone does not open in proof."),
        .always(
          "guestsByNewToken", .count, \.refusals.refreshed,
          """
          Devices of users that became guests in the last 30 days: a new push token, and no key of their last registration.
          """),
      ])
    private static let unprovedBindings = JSONObject<[App.Identity: Int64]>(
      "UnprovedBindings", isNamed: false,
      [
        .always("proof", .count, { $0[.proof] ?? 0 }, "Active devices that have a user by less than proof."),
        .always("strict", .count, { $0[.strict] ?? 0 }, "By less than strict."),
      ])
  }

  package static func identity(
    of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> IdentityStanding {
    let app = try connection.app(appID, allowing: caller, to: .viewMessages)
    return IdentityStanding(
      app: app, unproved: try connection.answer(Bindings.countLax(in: app.number)),
      refusals: try connection.answer(
        Bindings.refusals(of: app.number, days: Operations.Limits.countedIdentityDays)))
  }

  // MARK: Vouching

  /// Secret with which the app's own server creates user proofs. It can be retrieved again: it is derived from a key of
  /// this server, the app's id, and the number of times the secret was renewed.
  package struct UserProofSecret: JSONAnswer {
    package let appID: String
    package let secret: String

    package func write(to writer: inout JSONWriter) {
      writer.member("appId", appID)
      writer.member("userProofSecret", secret)
    }
  }

  /// Returns the secret with which the app's own server creates user proofs. Creates the server's signing keys if there
  /// are none.
  /// - Throws: `Problem` if the caller may not manage the app, the app is unknown, or the master key does not decrypt
  ///   the signing keys; `PostgresError`.
  package static func userProofSecret(
    of appID: String, master: MasterKey, by caller: Caller, on connection: Connection
  ) throws -> UserProofSecret {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    let keys = try SigningKeys.load(connection, master: master)
    return UserProofSecret(
      appID: appID, secret: keys.userProofs.secret(appID: appID, generation: app.identityRules.proofGeneration))
  }

  package struct NewVoucher: Sendable {
    package var appID = ""
    package var seconds = Operations.Limits.voucherSeconds.upperBound
    package var deviceID: String?

    package static let object = JSONObject(
      "NewVoucher", from: NewVoucher(),
      [
        .required("appId", .appID, \.appID),
        .given("expiresIn", .seconds(Operations.Limits.voucherSeconds), \.seconds, "PT15M by default."),
        .given(
          "deviceId", .text(upTo: Domain.Limits.deviceIDBytes), \.deviceID,
          "DEVICE_ID: the only one that it is good for."),
      ])
  }

  package struct Voucher: DescribedAnswer {
    package let appID: String
    package let clientUID: String
    /// The only DEVICE_ID the voucher is valid for; nil for any.
    package let deviceID: String?
    /// When the voucher expires.
    package let expiresAt: Timestamp

    package static let object = JSONObject<Voucher>(
      "Voucher",
      [
        .always("appId", .appID, \.appID), .always("clientUid", .anyText, \.clientUID),
        .always("deviceId", .orNull(.anyText), \.deviceID), .always("expiresAt", .moment, \.expiresAt),
      ])
  }

  /// Creates a voucher, by which the app's own server states that the next device that names this user belongs to the
  /// user. Replaces the user's earlier voucher. Audited unless the caller has an API key.
  /// - Parameters:
  ///   - deviceID: the only DEVICE_ID the voucher is valid for; nil for any.
  ///   - seconds: lifetime of the voucher (`voucherSeconds`).
  /// - Throws: `.invalidField` if the user, the DEVICE_ID or the lifetime is not valid; `.forbidden`; `.unknownApp`;
  ///   `.conflict` if the app is being deleted.
  package static func vouch(
    for clientUID: String, of appID: String, deviceID: String?, seconds: Int64, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> Voucher {
    let app = try connection.app(appID, allowing: caller, to: .vouch)
    guard !clientUID.isEmpty, clientUID.utf8.count <= Domain.Limits.clientUIDBytes, clientUID != UserKey.guestUID else {
      throw Problem(
        .invalidField, "A clientUid has 1 to \(Domain.Limits.clientUIDBytes) bytes and is not \(UserKey.guestUID).")
    }
    if let deviceID, deviceID.isEmpty || deviceID.utf8.count > Domain.Limits.deviceIDBytes {
      throw Problem(at: "/deviceId", "must have 1 to \(Domain.Limits.deviceIDBytes) bytes")
    }
    guard Operations.Limits.voucherSeconds.contains(seconds) else {
      throw Problem(at: "/expiresIn", "must be from PT1S to PT15M")
    }
    return try connection.commit { () throws(PostgresError) in
      let end = try connection.run(WallClock.now()) + .seconds(seconds)
      let user = Users.Key(app: app.number, userKey: UserKey(clientUID: clientUID))
      try connection.run(Vouchers.make(for: user, installation: deviceID, until: end))
      // The app's server creates vouchers at every login; only vouchers created by a person are audited.
      if caller.apiKey == nil {
        let change = AuditTrail.Change("user.vouch", PersonRights.trace(clientUID), in: app).to {
          $0.member("deviceId", deviceID)
        }
        try connection.run(AuditTrail.add(change, by: caller))
      }
      return Voucher(appID: appID, clientUID: clientUID, deviceID: deviceID, expiresAt: end)
    }
  }
}

extension Operations.Limits {
  /// Grace period for devices bound to a user without sufficient proof after an app has become stricter: 30 days.
  static let identityGracePeriod: Duration = .seconds(30 * 86_400)
  /// Grace period if no device is bound without sufficient proof: 10 minutes. By then every node knows of the change.
  static let shortGracePeriod: Duration = .seconds(600)
  /// Number of days over which `IdentityStanding.refusals` adds up the counts, including today (UTC).
  package static let countedIdentityDays: Int32 = 30
  /// Permitted lifetimes of a voucher, in seconds.
  package static let voucherSeconds: ClosedRange<Int64> = 1...900
}
