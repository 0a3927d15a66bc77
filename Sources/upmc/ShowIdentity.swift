internal import ArgumentParser
internal import Domain
internal import Operations

/// `upmc app identity`: shows how an app establishes which user a device belongs to.
struct ShowIdentity: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Show what a stricter identity would refuse, and which devices it would lose.",
    discussion: "  upmc app identity com.example.bank")

  @Argument(help: "The app's id.")
  var appID: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    try withDatabase { database in
      let standing = try Administration.identity(of: appID, by: .here, on: database.connection)
      output.show(standing, Self.text(standing))
    }
  }

  private static func text(_ standing: Administration.IdentityStanding) -> String {
    let rules = standing.app.identityRules
    return """
      \(standing.app.appID): identity \(rules.identity.name)\(rules.observed.map { ", \($0.name) is tried out" } ?? "")
      devices with a user, by less than proof: \(standing.unproved[.proof] ?? 0), by less than strict: \
      \(standing.unproved[.strict] ?? 0)
      in \(Operations.Limits.countedIdentityDays) days, counted while it is proof or strict, or tried out:
        registrations without anybody to vouch for the user: \(standing.refusedRegistrations)
        calls by an AUTHKEY that was only asked for: \(standing.refusedCalls)
      in \(Operations.Limits.countedIdentityDays) days, whatever the identity is:
        devices of users that became guests with a new push token: \(standing.refreshedGuests)
      """
  }
}
