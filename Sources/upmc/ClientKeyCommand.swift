internal import ArgumentParser
internal import JSON

/// `upmc app client-key`: replaces the key that identifies an app.
struct ClientKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client-key", abstract: "Give an app another client key; the former one goes on for a while.",
    discussion: """
      The client key is inside every copy of the app, so both identify it until few copies have the former one: put the new \
      one into the next release, then end the former one.

        upmc app client-key com.example.bank --keep-former-for P365D
        upmc app client-key com.example.bank --end-former
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "How long the former one goes on, P90D; without: until --end-former.")
  var keepFormerFor: String?

  @Flag(help: "End the former one: copies that have it can register no more.")
  var endFormer = false

  @OptionGroup var confirmation: Confirmation
  @OptionGroup var call: CallOptions

  func validate() throws {
    guard !endFormer || keepFormerFor == nil else {
      throw ValidationError("Give either --keep-former-for or --end-former.")
    }
  }

  func run() throws {
    try call.withAPI { api in
      if endFormer {
        try confirmation.ask("Copies of \(appID) that have the former client key can register no more.")
        let app = try api.answer(AdminRequest(.delete, ["apps", appID, "client-key", "former"])).json
        return call.output.show(app, "Ended. \(appID) has one client key: \(app.text("clientKey"))")
      }
      let body: JSONTree = .members(["keepFormerFor": .optional(keepFormerFor)])
      let app = try api.answer(.post("apps", appID, "client-key", body: body)).json
      let end = app.optional("formerClientKeyEndsAt").map { "until \($0)" } ?? "until --end-former"
      call.output.show(
        app, "New client key: \(app.text("clientKey")). \(app.text("formerClientKey")) identifies \(appID) too, \(end)."
      )
    }
  }
}
