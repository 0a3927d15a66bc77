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
      let report = try api.answer(.get("apps", appID, "identity")).json
      call.output.show(report, Self.text(report))
    }
  }

  private static func text(_ report: JSONTree) -> String {
    let observed = report.optional("observedIdentity").map { ", \($0) is tried out" } ?? ""
    let unproved = report.given("unprovedBindings") ?? .object([])
    return """
      \(report.text("appId")): identity \(report.text("identity"))\(observed)
      devices with a user, by less than proof: \(unproved.number("proof")), by less than strict: \
      \(unproved.number("strict"))
      in \(Operations.Limits.countedIdentityDays) days, counted while it is proof or strict, or tried out:
        registrations without anybody to vouch for the user: \(report.number("unprovedRegistrations"))
        calls by an AUTHKEY that was only asked for: \(report.number("callsByAskedKeys"))
      in \(Operations.Limits.countedIdentityDays) days, whatever the identity is:
        devices of users that became guests with a new push token: \(report.number("guestsByNewToken"))
      """
  }
}
