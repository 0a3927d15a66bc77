internal import ArgumentParser
internal import JSON
internal import Operations

/// `upmc account`: manages the accounts of console users.
struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Make console accounts, list, change and open them.",
    subcommands: [Create.self, List.self, Change.self, Link.self, ResetFactor.self])

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

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let link = try api.answer(
          .post(
            "accounts",
            body: .members([
              "login": .text(login), "name": .text(name), "role": .text(role.rawValue), "appId": .optional(appID),
            ]))
        ).json
        call.output.show(
          link, "Made account \(link.text("accountId")). It opens once, within an hour, at \(link.text("path"))")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List console accounts.", discussion: "  upmc account list --json")

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.table(
          api, .get("accounts"), call.output, limit: limit, none: "There are no accounts.",
          columns: ["ID", "LOGIN", "NAME", "ROLE", "APP", "STATE"]
        ) { account in
          let state =
            account.given("disabledAt") != nil ? "disabled" : account.flag("hasPassword") ? "open" : "unopened"
          return [
            account.text("accountId"), account.text("login"), account.text("name"), account.text("role"),
            account.optional("appId") ?? "all", state,
          ]
        }
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

    @OptionGroup var call: CallOptions

    func validate() throws {
      guard name != nil || role != nil || disable != enable else {
        throw ValidationError("Give what is to change: --name, --role, --disable or --enable.")
      }
    }

    func run() throws {
      let change = JSONTree.members([
        "name": .optional(name), "role": .optional(role?.rawValue),
        "disabled": disable ? .flag(true) : enable ? .flag(false) : nil,
      ])
      try call.withAPI { api in
        let entry = try api.answer(AdminRequest(.patch, ["accounts", String(account)], body: change)).json
        call.output.show(entry, "Changed account \(account).")
      }
    }
  }

  struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print another link that opens an account once, for who has lost the password.",
      discussion: "  upmc account link 2")

    @Argument(help: "The account's number, as lists show it.")
    var account: Int32

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let link = try api.answer(.post("accounts", String(account), "link")).json
        call.output.show(link, "It opens once, within an hour, at \(link.text("path"))")
      }
    }
  }

  struct ResetFactor: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset-second-factor",
      abstract: "Remove the second factor of an account whose owner has lost it.",
      discussion: """
        The account is signed out everywhere. Its owner signs in with the password alone, and sets up a new second factor \
        where the role needs one. Make sure who is asking.

          upmc account reset-second-factor 2
        """)

    @Argument(help: "The account's number, as lists show it.")
    var account: Int32

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let reset = AdminRequest(.delete, ["accounts", String(account), "second-factor"])
        let entry = try api.answer(reset).json
        call.output.show(entry, "Account \(account) (\(entry.text("login"))) has no second factor now.")
      }
    }
  }
}
