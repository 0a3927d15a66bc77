package import Domain
package import JSON
package import Postgres
internal import Store

/// What an app wants done differently: how many devices a user has, who vouches for users, who learns of new counts.
extension Administration {
  /// Nil leaves what is set.
  package struct Policies: Sendable {
    package var device: App.DevicePolicy?
    package var userProof: UserProof?
    package var badgeSync: Bool?

    package init() {}
  }

  package enum UserProof: Sendable {
    case off
    case on
    /// On, with another secret: proofs made with the present one end.
    case renewed
  }

  /// Changes policies, on every node within a second. With `single`, a user who has several devices keeps them until one
  /// of them registers again.
  package static func setPolicies(
    _ policies: Policies, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    guard policies.device != nil || policies.userProof != nil || policies.badgeSync != nil else {
      throw Problem(.invalidField, "Give at least one of devicePolicy, userProof and badgeSync.")
    }
    let record = try connection.commit { () throws(PostgresError) in
      let record = try connection.run(
        Apps.setPolicies(
          app.number, device: policies.device, userProof: policies.userProof.map(change), badgeSync: policies.badgeSync)
      )
      try connection.run(Announcements.announce(Catalog.channel))
      return record
    }
    guard let record else { throw Problem(.unknownApp, "The app \(appID) was deleted meanwhile.") }
    return AppEntry(app: record.app, clientKey: record.clientKey)
  }

  private static func change(_ proof: UserProof) -> Apps.UserProofChange {
    switch proof {
    case .off: .off
    case .on: .on
    case .renewed: .renewed
    }
  }

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

  /// - Throws: `Problem` when the app asks for no proof or the master key does not fit.
  package static func userProofSecret(
    of appID: String, master: MasterKey, by caller: Caller, on connection: Connection
  ) throws -> UserProofSecret {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    guard app.asksUserProof else {
      throw Problem(.conflict, "The app \(appID) asks for no proof of users. Switch it on with --user-proof on.")
    }
    let keys = try SigningKeys.load(connection, master: master)
    return UserProofSecret(
      appID: appID, secret: keys.userProofs.secret(appID: appID, generation: app.userProofGeneration))
  }
}
