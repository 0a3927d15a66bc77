internal import ArgumentParser
internal import Domain
internal import Operations

/// `upmc app policy`: changes an app's policies.
struct SetPolicies: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "Set what an app wants done differently.",
    discussion: """
      --devices single: when a user registers, the user's other devices become guests. multi, as it is at first: all of a \
      user's devices get its messages.

      --identity proof: naming a user needs the app's own server: a userProof, made with the secret that is printed (the \
      HMAC-SHA-256 of the clientUid in hex, or a JSON Web Token, HS256, with sub and exp), or a voucher (`upmc voucher`). \
      open: the device's word is taken; whoever knows a customer's id then gets that customer's pushes. strict: proof, \
      and a push that the device brings back. A stricter one is tried out by --observe first; --unproved says how many \
      devices may lose their user in 30 days. --user-proof on and off are proof and open; renewed: another secret.

      --keep-user-on-refresh on: in open apps a known DEVICE_ID with a new token keeps its user without a key, so whoever \
      knows a DEVICE_ID can move a user's pushes. --confidential-to proved: in open apps confidential messages go to \
      proved devices alone. --tell-devices on: a user's other devices get a push when there is a new one.

      --confidential-lanes urgent: messages of these lanes are confidential without saying so, as a new app's urgent ones \
      are: what they say is sealed, shown to nobody, and wiped when they are over. none: only those that say so. \
      --confidential-sdk on: also those that come through the SDK's controllers.

      --badge-sync on: when a read or the app changes a user's count, the user's other devices are told by a silent push.

      --extension off: the app has no Notification Service Extension, so its alerts carry no mutable-content. iOS then makes \
      no receipt unless the app is in front. on, as it is at first: every alert starts the extension.

      --approval-above 10000: what one person sends to more devices, or within an hour, waits for a second one; 0: nothing \
      does, as it is at first. API keys and the command line are not held back.

        upmc app policy com.example.bank --devices single --identity proof
      """)

  enum Devices: String, ExpressibleByArgument, CaseIterable { case multi, single }
  enum Proof: String, ExpressibleByArgument, CaseIterable { case off, on, renewed }
  enum Confidants: String, ExpressibleByArgument, CaseIterable { case all, proved }
  enum Switch: String, ExpressibleByArgument, CaseIterable { case off, on }

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "How many devices a user has.")
  var devices: Devices?

  @Option(help: "What it takes to call a device a user's.")
  var identity: App.Identity?

  @Option(help: "A stricter identity to try out: what it would refuse is counted. open: none.")
  var observe: App.Identity?

  @Option(help: "How many devices have a user that nobody vouched for, as `upmc app identity` shows it.")
  var unproved: Int64?

  @Option(help: "on: identity proof; off: open; renewed: another secret for proofs.")
  var userProof: Proof?

  @Option(help: "Whether a DEVICE_ID with a new token keeps its user.")
  var keepUserOnRefresh: Switch?

  @Option(help: "Which devices confidential messages go to.")
  var confidentialTo: Confidants?

  @Option(help: "Lanes whose messages are confidential, with commas: urgent, normal, bulk; none.")
  var confidentialLanes: String?

  @Option(help: "Whether that holds for sends through the SDK's controllers too.")
  var confidentialSdk: Switch?

  @Option(help: "Whether a user's other devices are notified of a new one.")
  var tellDevices: Switch?

  @Option(help: "Whether a new count is sent to a user's other devices.")
  var badgeSync: Switch?

  @Option(help: "Whether the app has a Notification Service Extension.")
  var `extension`: Switch?

  @Option(help: "Above how many devices a message needs a second person; 0: never.")
  var approvalAbove: Int64?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard
      devices != nil || badgeSync != nil || approvalAbove != nil || confidentialLanes != nil || confidentialSdk != nil
        || `extension` != nil
        || identityChange != Administration.IdentityChange()
    else { throw ValidationError("Give at least one setting, for example --identity proof.") }
    guard userProof == nil || userProof == .renewed || identity == nil else {
      throw ValidationError("--user-proof on and off are --identity proof and open: give one of them.")
    }
  }

  func run() throws {
    var policies = Administration.AppChange()
    policies.devicePolicy = devices.map { $0 == .single ? .single : .multi }
    policies.identity = identityChange
    policies.badgeSync = badgeSync.map { $0 == .on }
    policies.approvalAbove = approvalAbove
    policies.confidentialLanes = try confidentialLanes.map(Self.lanes)
    policies.confidentialSDK = confidentialSdk.map { $0 == .on }
    policies.hasExtension = `extension`.map { $0 == .on }
    let asksProofs = (identity ?? .open) > .open || userProof == .on || userProof == .renewed || observe != nil
    try withDatabase { database in
      // Load the key first, so that nothing is changed if it does not decrypt the stored secrets.
      if asksProofs { _ = try secret(database) }
      let entry = try Administration.change(appID, policies, by: .here, on: database.connection)
      output.show(entry, Self.sentence(entry.app))
      if asksProofs {
        let secret = try secret(database)
        output.show(secret, "Proofs are made with this secret, which belongs on the app's own server: \(secret.secret)")
      }
    }
  }

  private static func lanes(_ names: String) throws -> Set<Lane> {
    guard names != "none" else { return [] }
    return Set(
      try names.split(separator: ",").map { name in
        guard let lane = Lane(name: String(name)) else {
          throw ValidationError(
            "--confidential-lanes takes urgent, normal and bulk, with commas, or none: not \(name).")
        }
        return lane
      })
  }

  private func secret(_ database: CommandDatabase) throws -> Administration.UserProofSecret {
    try Administration.userProofSecret(
      of: appID, master: database.masterKey(), by: .here, on: database.connection)
  }

  private var identityChange: Administration.IdentityChange {
    var change = Administration.IdentityChange()
    change.identity = identity ?? (userProof == .on ? .proof : userProof == .off ? .open : nil)
    change.unprovedBindings = unproved
    change.observed = observe.map { $0 == .open ? nil : $0 }
    change.renewsSecret = userProof == .renewed
    change.keepsUserOnRefresh = keepUserOnRefresh.map { $0 == .on }
    change.keepsConfidentialToProved = confidentialTo.map { $0 == .proved }
    change.tellsDevices = tellDevices.map { $0 == .on }
    return change
  }

  private static func sentence(_ app: App) -> String {
    """
    \(app.appID): \(app.devicePolicy == .single ? "a user has one device" : "a user may have several devices"), \
    identity \(app.identity.name)\(app.identityRules.observed.map { ", \($0.name) is tried out" } ?? ""), \
    other devices \(app.syncsBadges ? "are" : "are not") told new counts, \
    alerts \(app.hasExtension ? "start" : "do not start") the app's extension, \
    \(app.approvalAbove.map { "a second person is asked above \($0) devices" } ?? "no second person is asked").
    """
  }
}
