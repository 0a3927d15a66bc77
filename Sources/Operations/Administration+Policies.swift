internal import Domain
package import JSON
package import Postgres
internal import Store

/// Who vouches for the users of an app.
extension Administration {
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
