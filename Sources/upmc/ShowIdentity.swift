internal import ArgumentParser
internal import JSON
internal import Operations

/// `upmc app identity`: shows how an app determines which user a device belongs to.
struct ShowIdentity: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Show what a stricter identity would refuse, and which devices it would lose.",
    discussion: "  upmc app identity com.example.bank")

  @Argument(help: "The app's id.")
  var appID: String

  @OptionGroup var call: CallOptions

  func run() throws {
    try call.withAPI { api in
      let standing = try api.answer(.get("apps", appID, "identity")).json
      call.output.show(standing, Self.text(standing))
    }
  }

  private static func text(_ standing: JSONTree) -> String {
    let observed = standing.optional("observedIdentity").map { ", \($0) is tried out" } ?? ""
    let unproved = standing.given("unprovedBindings") ?? .object([])
    return """
      \(standing.text("appId")): identity \(standing.text("identity"))\(observed)
      devices with a user, by less than proof: \(unproved.number("proof")), by less than strict: \
      \(unproved.number("strict"))
      in \(Operations.Limits.countedIdentityDays) days, counted while it is proof or strict, or tried out:
        registrations without anybody to vouch for the user: \(standing.number("unprovedRegistrations"))
        calls by an AUTHKEY that was only asked for: \(standing.number("callsByAskedKeys"))
      in \(Operations.Limits.countedIdentityDays) days, whatever the identity is:
        devices of users that became guests with a new push token: \(standing.number("guestsByNewToken"))
      """
  }
}
