internal import ArgumentParser
internal import JSON
internal import Server

/// `upmc context`: manages the servers that a user works with.
struct ContextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "context", abstract: "Keep the servers that commands ask, with an API key for each.",
    discussion: """
      With a context in use, commands ask its server: no database and no master key are needed, and what you may do is what \
      the key's role may. Kept in ~/.config/upmc/contexts.json, which only you may read. UPMC_SERVER, UPMC_DATABASE_URL \
      and --server go before it.

        upmc context add production --server https://push.example.com --api-key-file key.txt
        upmc context use production
        upmc status
      """,
    subcommands: [Add.self, Use.self, List.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Keep a server and its API key; the first one is in use at once.",
      discussion: """
        The key is asked for a question that every role may ask, so a wrong one is told at once.

          upmc context add production --server https://push.example.com --api-key-file key.txt
          pass show upmc | upmc context add production --server https://push.example.com --api-key-file /dev/stdin
        """)

    @Argument(help: "What you call it.")
    var name: String

    @Option(help: "The server's address.")
    var server: String

    @Option(help: "The API key. Others on this machine may see it: prefer --api-key-file.")
    var apiKey: String?

    @Option(help: "File that holds the API key; it is copied. Also UPMC_API_KEY, UPMC_API_KEY_FILE.")
    var apiKeyFile: String?

    @Flag(help: "Keep it without asking the server.")
    var offline = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard apiKey == nil || apiKeyFile == nil else {
        throw ValidationError("Give either --api-key or --api-key-file.")
      }
    }

    func run() throws {
      let configuration = try Configuration.ofCommand()
      let key = try key(configuration)
      let api = try RemoteAPI(server, apiKey: key, configuration)
      if !offline { _ = try api.answer(.get("apps", query: ["limit": "1"])) }
      var contexts = try Contexts.read()
      contexts.contexts.removeAll { $0.name == name }
      contexts.contexts.append(Contexts.Context(name: name, server: server, apiKey: key))
      contexts.contexts.sort { $0.name < $1.name }
      if contexts.current == nil { contexts.current = name }
      try contexts.write()
      let isUsed = contexts.current == name
      output.show(
        .members(["name": .text(name), "server": .text(server), "inUse": .flag(isUsed)]),
        "Kept \(name)\(isUsed ? ", which is in use" : "; `upmc context use \(name)` takes it").")
    }

    private func key(_ configuration: Configuration) throws -> String {
      if let apiKey { return apiKey }
      if let file = apiKeyFile ?? configuration.commandLine.apiKeyFile { return try Configuration.readAPIKey(file) }
      guard let key = configuration.commandLine.apiKey else {
        throw ValidationError("Give its API key: --api-key-file, or UPMC_API_KEY.")
      }
      return key
    }
  }

  struct Use: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Have commands ask this context's server, or with --none the database of this machine.",
      discussion: "  upmc context use production\n  upmc context use --none")

    @Argument(help: "The context.")
    var name: String?

    @Flag(help: "None: commands work on this machine's database.")
    var none = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (name == nil) == none else { throw ValidationError("Name a context, or give --none.") }
    }

    func run() throws {
      var contexts = try Contexts.read()
      if let name { _ = try contexts.context(name) }
      contexts.current = name
      try contexts.write()
      let server = contexts.present?.server
      output.show(
        .members(["name": name.map { .text($0) } ?? .null, "server": server.map { .text($0) } ?? .null]),
        server.map { "Commands ask \($0)." } ?? "Commands work on the database of this machine.")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the contexts, never their keys.", discussion: "  upmc context list")

    @OptionGroup var output: OutputOptions

    func run() throws {
      let contexts = try Contexts.read()
      for context in contexts.contexts {
        let isUsed = context.name == contexts.current
        output.show(
          .members(["name": .text(context.name), "server": .text(context.server), "inUse": .flag(isUsed)]),
          "\(isUsed ? "*" : " ") \(context.name)  \(context.server)")
      }
      if contexts.contexts.isEmpty, !output.json { Output.line("There are no contexts.") }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget a context. The API key stays good: `upmc key revoke` ends it.",
      discussion: "  upmc context remove production")

    @Argument(help: "The context.")
    var name: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      var contexts = try Contexts.read()
      let context = try contexts.context(name)
      contexts.contexts.removeAll { $0.name == name }
      if contexts.current == name { contexts.current = nil }
      try contexts.write()
      output.show(.members(["name": .text(name), "server": .text(context.server)]), "Forgot \(name).")
    }
  }
}
