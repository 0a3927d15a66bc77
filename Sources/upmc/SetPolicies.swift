internal import ArgumentParser
internal import Domain
internal import JSON

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
      devices at most may lose their user in 30 days. --renew-user-proof-secret makes another secret; \
      proofs made with the old one fail at once.

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
      does, as it is at first. API keys are not held back.

        upmc app policy com.example.bank --devices single --identity proof
      """)

  enum Devices: String, ExpressibleByArgument, CaseIterable { case multi, single }
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

  @Option(help: "How many devices at most may lose their user: what `upmc app identity` shows, or more.")
  var unproved: Int64?

  @Flag(help: "Make another secret for user proofs; the old one is void at once.")
  var renewUserProofSecret = false

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

  @OptionGroup var call: CallOptions

  func validate() throws {
    guard
      devices != nil || badgeSync != nil || approvalAbove != nil || confidentialLanes != nil || confidentialSdk != nil
        || `extension` != nil
        || identity != nil || observe != nil || unproved != nil || renewUserProofSecret || keepUserOnRefresh != nil
        || confidentialTo != nil || tellDevices != nil
    else { throw ValidationError("Give at least one setting, for example --identity proof.") }
  }

  func run() throws {
    let body = try change()
    let asksProofs = (identity ?? .open) > .open || renewUserProofSecret || observe != nil
    try call.withAPI { api in
      // Load the master key first, so that a wrong one changes nothing.
      let secret = asksProofs ? try (api as? LocalAPI)?.userProofSecret(of: appID) : nil
      if renewUserProofSecret, secret == nil {
        throw CommandError("Another secret is made where it can be shown: run this on a server's machine.")
      }
      let app = try api.answer(AdminRequest(.patch, ["apps", appID], body: body)).json
      call.output.show(app, Self.sentence(app))
      guard asksProofs else { return }
      guard let api = api as? LocalAPI else {
        return Output.complain("The secret that proofs are made with is shown on a server's machine: run this there.")
      }
      let now = try api.userProofSecret(of: appID)
      call.output.show(
        now, "Proofs are made with this secret, which belongs on the app's own server: \(now.text("userProofSecret"))")
    }
  }

  private func change() throws -> JSONTree {
    .members([
      "devicePolicy": .optional(devices?.rawValue),
      "identity": .optional(identity?.name),
      "unprovedBindings": unproved.map { .number($0) },
      "observedIdentity": observe.map { $0 == .open ? .null : .text($0.name) },
      "keepsUserOnRefresh": keepUserOnRefresh.map { .flag($0 == .on) },
      "confidentialTo": .optional(confidentialTo?.rawValue),
      "confidentialLanes": try confidentialLanes.map(Self.lanes).map { .texts($0) },
      "confidentialSdkSends": confidentialSdk.map { .flag($0 == .on) },
      "tellsDevices": tellDevices.map { .flag($0 == .on) }, "approvalAbove": approvalAbove.map { .number($0) },
      "renewsUserProofSecret": renewUserProofSecret ? .flag(true) : nil,
      "badgeSync": badgeSync.map { .flag($0 == .on) }, "extension": `extension`.map { .flag($0 == .on) },
    ])
  }

  private static func lanes(_ names: String) throws -> [String] {
    guard names != "none" else { return [] }
    return try names.split(separator: ",").map { name in
      guard Lane(name: String(name)) != nil else {
        throw ValidationError(
          "--confidential-lanes takes urgent, normal and bulk, with commas, or none: not \(name).")
      }
      return String(name)
    }
  }

  private static func sentence(_ app: JSONTree) -> String {
    let observed = app.optional("observedIdentity").map { ", \($0) is tried out" } ?? ""
    let approval = app.optional("approvalAbove").map { "a second person is asked above \($0) devices" }
    return """
      \(app.text("appId")): \
      \(app.text("devicePolicy") == "single" ? "a user has one device" : "a user may have several devices"), \
      identity \(app.text("identity"))\(observed), \
      other devices \(app.flag("badgeSync") ? "are" : "are not") told new counts, \
      alerts \(app.flag("extension") ? "start" : "do not start") the app's extension, \
      \(approval ?? "no second person is asked").
      """
  }
}
