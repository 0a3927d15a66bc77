internal import ArgumentParser
internal import Operations

/// `upmc key`: manages API keys.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make API keys for back-office systems and operators, list and revoke them.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an API key, and print it this once.",
      discussion: """
        Only a hash of the key is kept: what is not written down now is lost. Roles: sender sends and looks, operator \
        also makes groups, viewer only looks, admin may do everything.

          upmc key create --role sender --app com.example.bank
          curl -H "Authorization: Bearer upmc_…" …/v1/admin/messages/1
        """)

    @Option(help: "sender, operator, viewer or admin.")
    var role: Role

    @Option(name: .customLong("app"), help: "The only app it is for; without: all apps.")
    var appID: String?

    @Option(help: "Whose key it is, for lists.")
    var name = ""

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let key = try Administration.createKey(
          role, appID: appID, name: name, by: .here, on: database.connection)
        output.show(key, key.apiKey)
      }
    }
  }
}

extension KeyCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List API keys, never the keys themselves.", discussion: "  upmc key list --app com.example.bank")

    @Option(name: .customLong("app"), help: "Only those for this app.")
    var appID: String?

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: limit, none: "There are no API keys.",
          { (entry: Administration.KeyEntry) in ListOutput.text(entry) }
        ) { page in try Administration.keys(of: appID, page, by: .here, on: database.connection) }
      }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End an API key: it opens nothing any more.", discussion: "  upmc key revoke 3")

    @Argument(help: "The key's number, as `upmc key list` shows it.")
    var key: Int32

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entry = try Administration.revokeKey(key, by: .here, on: database.connection)
        output.show(entry, "Revoked key \(key).")
      }
    }
  }
}

extension Role: ExpressibleByArgument {}
