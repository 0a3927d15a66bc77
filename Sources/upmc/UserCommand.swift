internal import ArgumentParser
internal import JSON

/// `upmc user`: manages the users of an app.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Look at users, set their badge, export or forget one.",
    subcommands: [List.self, Show.self, Badge.self, Export.self, Erase.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List users by CUID.", discussion: "  upmc user list com.example.bank --prefix kim")

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Those whose CUID begins so.")
    var prefix: String?

    @Option(help: "Those whose name begins so, by name.")
    var name: String?

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var call: CallOptions

    func validate() throws {
      guard prefix == nil || name == nil else { throw ValidationError("Give either --prefix or --name.") }
    }

    func run() throws {
      try call.withAPI { api in
        try ListOutput.table(
          api, .get("users", query: ["appId": appID, "prefix": prefix, "name": name]), call.output, limit: limit,
          none: "There are no users of this kind.", columns: ["CUID", "NAME", "BADGE", "DEVICES"]
        ) { [$0.text("clientUid"), $0.text("clientName"), $0.text("badge"), $0.text("devices")] }
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a user with its devices, groups and tags.", discussion: "  upmc user show com.example.bank kim01")

    @OptionGroup var user: UserArguments
    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let shown = try api.answer(.get("users", user.clientUID, query: ["appId": user.appID])).json
        call.output.show(shown, UserCommand.text(shown))
      }
    }
  }

  struct Badge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the count that a user's icon shows from the next message on.",
      discussion: "  upmc user badge com.example.bank kim01 0")

    @OptionGroup var user: UserArguments

    @Argument(help: "The count, 0 to 1000.")
    var badge: Int

    @OptionGroup var call: CallOptions

    func run() throws {
      let body: JSONTree = .object([("appId", .text(user.appID)), ("badge", .number(badge))])
      try call.withAPI { api in
        let shown = try api.answer(AdminRequest(.put, ["users", user.clientUID, "badge"], body: body)).json
        call.output.show(shown, "\(user.clientUID) has the count \(shown.text("badge")).")
      }
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print all that is known of a user, as JSON.",
      discussion: "  upmc user export com.example.bank kim01 > kim01.json")

    @OptionGroup var user: UserArguments
    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let all = try api.answer(.get("users", user.clientUID, "export", query: ["appId": user.appID])).json
        call.output.show(all, all.pretty())
      }
    }
  }

  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget a user: devices are unregistered and emptied, name, count, groups and inbox go.",
      discussion: """
        There is no way back: `upmc user export` first, if somebody may ask.

          upmc user erase com.example.bank kim01
        """)

    @OptionGroup var user: UserArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try confirmation.ask("All that is known of \(user.clientUID) in \(user.appID) goes, and does not come back.")
        let erased = try api.answer(
          AdminRequest(.delete, ["users", user.clientUID], query: ["appId": user.appID])
        ).json
        let count = erased.number("devices")
        call.output.show(erased, "Forgot \(user.clientUID), with \(count) \(count == 1 ? "device" : "devices").")
      }
    }
  }

  private static func text(_ user: JSONTree) -> String {
    let groups = user.list("groups").map { "\($0.text("groupSeq")) \($0.text("name"))" }.joined(separator: ", ")
    let tags = user.list("tags").compactMap(\.string).joined(separator: ", ")
    let lines = [
      "\(user.text("clientUid"))  \(user.text("clientName"))  badge \(user.text("badge"))",
      groups.isEmpty ? nil : "groups: \(groups)", tags.isEmpty ? nil : "tags: \(tags)",
    ]
    return (lines.compactMap { $0 } + user.list("devices").map(DeviceCommand.line)).joined(separator: "\n")
  }
}

/// Arguments that identify the user of a command.
struct UserArguments: ParsableArguments {
  @Argument(help: "The app's id.")
  var appID: String

  @Argument(help: "CUID of the user.")
  var clientUID: String
}
