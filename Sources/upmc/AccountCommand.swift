internal import ArgumentParser
internal import Operations

/// `upmc account`: manages the accounts of console users.
struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Make console accounts, list, change and open them.",
    subcommands: [Create.self, List.self, Change.self, Link.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a console account, and print the link that opens it once.",
      discussion: """
        The link works for an hour; there its owner chooses a password. Put the server's address before it.

          upmc account create kim@example.com --name "Kim" --role operator --app com.example.bank
        """)

    @Argument(help: "What its owner signs in with, for example an e-mail address.")
    var login: String

    @Option(help: "Name for people.")
    var name: String

    @Option(help: "sender, operator, viewer or admin.")
    var role: Role

    @Option(name: .customLong("app"), help: "The only app it reaches; without: all apps.")
    var appID: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let link = try ConsoleAccounts.create(
          login, name: name, role: role, appID: appID, by: .here, on: database.connection,
          now: database.now)
        output.show(link, "Made account \(link.account). It opens once, within an hour, at \(link.path)")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List console accounts.", discussion: "  upmc account list --json")

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: limit, none: "There are no accounts.",
          { (entry: ConsoleAccounts.Entry) in ListOutput.text(entry) }
        ) { page in try ConsoleAccounts.list(page, by: .here, on: database.connection) }
      }
    }
  }

  struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give an account another name or role, disable it, or enable it again.",
      discussion: """
        An account that is disabled, or gets another role, is signed out everywhere.

          upmc account change 2 --role viewer
          upmc account change 2 --disable
        """)

    @Argument(help: "The account's number, as lists show it.")
    var account: Int32

    @Option(help: "Another name.")
    var name: String?

    @Option(help: "Another role: sender, operator, viewer or admin.")
    var role: Role?

    @Flag(help: "Nobody signs in with it any more.")
    var disable = false

    @Flag(help: "It may be used again.")
    var enable = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard name != nil || role != nil || disable != enable else {
        throw ValidationError("Give what is to change: --name, --role, --disable or --enable.")
      }
    }

    func run() throws {
      var change = ConsoleAccounts.Change()
      change.name = name
      change.role = role
      change.isDisabled = disable ? true : enable ? false : nil
      try withDatabase { database in
        let entry = try ConsoleAccounts.change(account, change, by: .here, on: database.connection)
        output.show(entry, "Changed account \(account).")
      }
    }
  }

  struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print another link that opens an account once, for who has lost the password.",
      discussion: "  upmc account link 2")

    @Argument(help: "The account's number, as lists show it.")
    var account: Int32

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let link = try ConsoleAccounts.link(
          account, by: .here, on: database.connection, now: database.now)
        output.show(link, "It opens once, within an hour, at \(link.path)")
      }
    }
  }
}
