package import Domain
package import JSON
package import Postgres
internal import Store

/// How an app knows whose device is whose, and how it comes to know it better.
extension Administration {
  /// What is to be changed of an app's identity; nil: stays.
  package struct IdentityChange: Equatable, Sendable {
    package var identity: App.Identity?
    /// How many devices have a user by less than the new identity, as the caller has read it: they become guests when the
    /// grace ends.
    package var unprovedBindings: Int64?
    /// A stricter one is tried out; `.some(nil)`: no more.
    package var observed: App.Identity??
    /// Proofs made with the present secret end.
    package var renewsSecret = false
    package var keepsUserOnRefresh: Bool?
    package var keepsConfidentialToProved: Bool?
    package var tellsDevices: Bool?

    package init() {}
  }

  /// Changes the rules of an app that is locked, in its transaction.
  /// - Returns: why it may not be.
  static func change(
    _ app: inout App, _ change: IdentityChange, on connection: Connection
  ) throws(PostgresError) -> Problem? {
    if let identity = change.identity, identity != app.identity {
      if let problem = try move(&app, to: identity, change, on: connection) { return problem }
    }
    if let observed = change.observed { app.identityRules.observed = observed.flatMap { $0 > app.identity ? $0 : nil } }
    if change.renewsSecret { app.identityRules.proofGeneration += 1 }
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
    _ app: inout App, to identity: App.Identity, _ change: IdentityChange, on connection: Connection
  ) throws(PostgresError) -> Problem? {
    var graceEndsAt: Int64?
    if identity > app.identity {
      let lax = try connection.run(Bindings.countLax(in: app.number, below: identity))
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
        guard change.unprovedBindings == lax else {
          return Problem(
            .conflict,
            """
            \(lax) devices have a user that nobody vouched for in the way of \(identity.name). They get ordinary \
            messages for 30 days more and then become guests. If that is right, say so: unprovedBindings \(lax) \
            (`--unproved \(lax)`).
            """)
        }
      }
      // Also where nobody is left by now: nodes hear of the change a moment later, and devices come back that were gone.
      let grace = lax > 0 ? Operations.Limits.identityGraceMicroseconds : Operations.Limits.shortGraceMicroseconds
      graceEndsAt = try connection.run(WallClock.now()) + grace
    }
    app.identityRules.identity = identity
    app.identityRules.graceEndsAt = graceEndsAt
    if identity != .open { app.identityRules.keepsUserOnRefresh = change.keepsUserOnRefresh ?? false }
    if let observed = app.identityRules.observed, observed <= identity { app.identityRules.observed = nil }
    return nil
  }

  // MARK: Looking

  /// How an app's identity stands.
  package struct IdentityStanding: DescribedAnswer {
    package let app: App
    /// Devices that have a user by less than that identity.
    package let unproved: [App.Identity: Int64]
    /// In the last 30 days.
    let refusals: Bindings.Refusals

    package var refusedRegistrations: Int64 { refusals.unproved }
    package var refusedCalls: Int64 { refusals.asked }
    /// Devices of users that became guests with a new token.
    package var refreshedGuests: Int64 { refusals.refreshed }

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
    var unproved: [App.Identity: Int64] = [:]
    for identity in [App.Identity.proof, .strict] {
      unproved[identity] = try connection.answer(Bindings.countLax(in: app.number, below: identity))
    }
    return IdentityStanding(
      app: app, unproved: unproved,
      refusals: try connection.answer(
        Bindings.refusals(of: app.number, days: Operations.Limits.countedIdentityDays)))
  }

  // MARK: Vouching

  /// What the app's own server makes proofs of users with. It can be asked for again: it is made anew each time, from a
  /// key of this server and the app's name.
  package struct UserProofSecret: JSONAnswer {
    package let appID: String
    package let secret: String

    package func write(to writer: inout JSONWriter) {
      writer.member("appId", appID)
      writer.member("userProofSecret", secret)
    }
  }

  /// - Throws: `Problem` when the master key does not fit.
  package static func userProofSecret(
    of appID: String, master: MasterKey, by caller: Caller, on connection: Connection
  ) throws -> UserProofSecret {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    let keys = try SigningKeys.load(connection, master: master)
    return UserProofSecret(
      appID: appID, secret: keys.userProofs.secret(appID: appID, generation: app.identityRules.proofGeneration))
  }

  /// What a voucher is asked for.
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

  /// A voucher that stands.
  package struct Voucher: DescribedAnswer {
    package let appID: String
    package let clientUID: String
    /// The DEVICE_ID that it is good for; nil: any.
    package let deviceID: String?
    /// Microseconds since 1970.
    package let expiresAt: Int64

    package static let object = JSONObject<Voucher>(
      "Voucher",
      [
        .always("appId", .appID, \.appID), .always("clientUid", .anyText, \.clientUID),
        .always("deviceId", .orNull(.anyText), \.deviceID), .always("expiresAt", .moment, \.expiresAt),
      ])
  }

  /// The app's own server says: the next device that names this user is the user's. It replaces the voucher before.
  /// - Parameter seconds: how long it waits for the device.
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
      let end = try connection.run(WallClock.now()) + seconds * 1_000_000
      let user = Users.Key(app: app.number, userKey: UserKey(clientUID: clientUID))
      try connection.run(Vouchers.make(for: user, installation: deviceID, until: end))
      // The app's server makes them at every log-in; a person who makes one leaves a trace.
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
  /// How long devices stay with users that nobody vouched for after an app has become stricter: 30 days.
  static let identityGraceMicroseconds: Int64 = 30 * 86_400 * 1_000_000
  /// The same where no device is left that it concerns: until every node has heard of it, 10 minutes.
  static let shortGraceMicroseconds: Int64 = 600 * 1_000_000
  /// Days of which it is told what was, or would have been, refused.
  package static let countedIdentityDays: Int32 = 30
  /// How long a voucher may wait.
  package static let voucherSeconds: ClosedRange<Int64> = 1...900
}
