internal import ArgumentParser
internal import Operations

/// `upmc group`: groups of users.
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Make groups that users join.", subcommands: [Create.self])

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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let group = try Administration.createGroup(
          Administration.NewGroup(appID: appID, name: name, parent: parent), by: .commandLine, on: database.connection)
        output.show(group, "Made group \(group.groupSeq).")
      }
    }
  }
}
