internal import ArgumentParser
internal import Operations
internal import Store

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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: limit, none: "There are no groups.",
          { (entry: GroupService.Entry) in "\(entry.record.group)  \(entry.record.name)" }
        ) { page in
          try GroupService.list(of: appID, below: parent, page, by: .here, on: database.connection)
        }
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: limit, none: "It has no members.",
          { (entry: GroupService.MemberEntry) in ListOutput.text(entry) }
        ) { page in try GroupService.members(of: group, page, by: .here, on: database.connection) }
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let group = try Administration.createGroup(
          Administration.NewGroup(appID: appID, name: name, parent: parent, isJoinable: joinable), by: .here,
          on: database.connection)
        output.show(group, "Made group \(group.groupSeq).")
      }
    }
  }
}
