internal import ArgumentParser
internal import Domain
internal import Operations

/// `upmc app policy`: what an app wants done differently.
struct SetPolicies: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "Set what an app wants done differently.",
    discussion: """
      --devices single: when a user registers, the user's other devices become guests. multi, as it is at first: all of a \
      user's devices get its messages.

      --user-proof on: naming a user needs a userProof, made by the app's own server with the secret that is printed: \
      the HMAC-SHA-256 of the clientUid in hex, or a JSON Web Token (HS256) with sub and exp. renewed: the same with \
      another secret. Without it anybody who takes the client key out of a copy of the app can register as anybody.

      --badge-sync on: when a read or the app changes a user's count, the user's other devices are told by a silent push.

        upmc app policy com.example.bank --devices single --user-proof on
      """)

  enum Devices: String, ExpressibleByArgument, CaseIterable { case multi, single }
  enum Proof: String, ExpressibleByArgument, CaseIterable { case off, on, renewed }
  enum Switch: String, ExpressibleByArgument, CaseIterable { case off, on }

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "How many devices a user has.")
  var devices: Devices?

  @Option(help: "Whether naming a user needs a proof.")
  var userProof: Proof?

  @Option(help: "Whether a user's other devices are told a new count.")
  var badgeSync: Switch?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard devices != nil || userProof != nil || badgeSync != nil else {
      throw ValidationError("Give at least one of --devices, --user-proof and --badge-sync.")
    }
  }

  func run() throws {
    var policies = Administration.AppChange()
    policies.devicePolicy = devices.map { $0 == .single ? .single : .multi }
    policies.userProof = userProof.map { proof in
      switch proof {
      case .off: .off
      case .on: .on
      case .renewed: .renewed
      }
    }
    policies.badgeSync = badgeSync.map { $0 == .on }
    try withDatabase { database in
      let entry = try Administration.change(appID, policies, by: .commandLine, on: database.connection)
      output.show(entry, Self.sentence(entry.app))
      if policies.userProof != nil, entry.app.asksUserProof {
        let secret = try Administration.userProofSecret(
          of: appID, master: database.masterKey(), by: .commandLine, on: database.connection)
        output.show(secret, "Proofs are made with this secret, which belongs on the app's own server: \(secret.secret)")
      }
    }
  }

  private static func sentence(_ app: App) -> String {
    """
    \(app.appID): \(app.devicePolicy == .single ? "a user has one device" : "a user may have several devices"), \
    \(app.asksUserProof ? "naming a user needs a proof" : "naming a user needs no proof"), \
    other devices \(app.syncsBadges ? "are" : "are not") told new counts.
    """
  }
}
