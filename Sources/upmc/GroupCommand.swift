internal import ArgumentParser
internal import JSON

/// `upmc group`: manages groups of users.
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Make groups that users join, list them and their members.",
    subcommands: [Create.self, List.self, Members.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the groups right below one, or at the top.",
      discussion: "  upmc group list com.example.bank --parent 1")

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "GROUPSEQ of the group above; without: at the top.")
    var parent: Int64?

    @Option(help: "How many.")
    var limit = 1000

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("groups", query: ["appId": appID, "parent": parent.map(String.init)]), call.output, limit: limit,
          none: "There are no groups."
        ) { "\($0.text("groupSeq"))  \($0.text("name"))" }
      }
    }
  }

  struct Members: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the members of a group.", discussion: "  upmc group members 12 --json")

    @Argument(help: "GROUPSEQ.")
    var group: Int64

    @Option(help: "How many.")
    var limit = 1000

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("groups", String(group), "members"), call.output, limit: limit, none: "It has no members."
        ) { member in
          let who = member.optional("clientUid") ?? "guest \(member.text("device"))"
          return "\(who)  \(member.text("clientName"))  \(member.text("joinedAt"))"
        }
      }
    }
  }

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a group, and print its GROUPSEQ.",
      discussion: """
        Devices join it by its GROUPSEQ. Groups form a tree: what is sent to a group reaches those below it too.

          upmc group create com.example.bank --name Seoul
          upmc group create com.example.bank --name Gangnam --parent 1
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Name, unique below its parent.")
    var name: String

    @Option(help: "GROUPSEQ of the group above it.")
    var parent: Int64?

    @Flag(
      inversion: .prefixedNo, help: "Whether devices may join it by themselves; at first only in apps that are open.")
    var joinable: Bool?

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let group = try api.answer(
          .post(
            "groups",
            body: .members([
              "appId": .text(appID), "name": .text(name), "parent": parent.map { .text(String($0)) },
              "joinable": joinable.map { .flag($0) },
            ]))
        ).json
        call.output.show(group, "Made group \(group.text("groupSeq")).")
      }
    }
  }
}
