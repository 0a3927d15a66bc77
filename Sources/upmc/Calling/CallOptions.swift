internal import ArgumentParser
internal import Server

/// Options of every command that uses the admin API: its address and the output format.
struct CallOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ask this server instead of the database: https://push.example.com. Also UPMC_SERVER.", valueName: "url"))
  var server: String?

  @Option(
    help: ArgumentHelp(
      "The API key for --server. Others on this machine may see it: prefer --api-key-file or UPMC_API_KEY.",
      valueName: "key"))
  var apiKey: String?

  @Option(help: ArgumentHelp("File that holds the API key. Also UPMC_API_KEY_FILE.", valueName: "file"))
  var apiKeyFile: String?

  @Option(help: ArgumentHelp("Ask the server of this context (`upmc context list`).", valueName: "name"))
  var context: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard server == nil || context == nil else { throw ValidationError("Give either --server or --context.") }
    guard apiKey == nil || apiKeyFile == nil else {
      throw ValidationError("Give either --api-key or --api-key-file.")
    }
  }

  /// Refuses the options that name a server, for commands that work on the database itself.
  /// - Throws: `ValidationError` if one was given.
  func refuseServer(_ command: String, _ why: String) throws {
    guard server == nil, context == nil, apiKey == nil, apiKeyFile == nil else {
      throw ValidationError(
        "upmc \(command) cannot be done through a server. \(why) Run it without --server on a machine that has UPMC_DATABASE_URL."
      )
    }
  }

  /// Runs `body` with the API selected by the options, the environment or the current context.
  func withAPI(_ body: (any AdminAPI) throws -> Void) throws {
    let configuration = try Configuration.ofCommand()
    switch try Destination.find(self, configuration) {
    case .server(let address, let key): try body(RemoteAPI(address, apiKey: key, configuration))
    case .database: try withDatabase { try body(LocalAPI($0)) }
    }
  }
}

/// Selects the server or database of a command, in this order of precedence:
///
/// ```
///   --server, --context ─► UPMC_SERVER ─► UPMC_DATABASE_URL ─► the context in use ─► the private database
/// ```
enum Destination: Equatable {
  case server(String, key: String)
  case database

  static func find(_ options: CallOptions, _ configuration: Configuration) throws -> Destination {
    if let name = options.context { return try of(try Contexts.read().context(name), options, configuration) }
    if let server = options.server ?? configuration.commandLine.server {
      return .server(server, key: try key(options, configuration, for: server))
    }
    if configuration.databaseURL == nil, let context = try Contexts.read().present {
      return try of(context, options, configuration)
    }
    guard options.apiKey == nil, options.apiKeyFile == nil else {
      throw CommandError("An API key is for a server: give --server too, or UPMC_SERVER.")
    }
    return .database
  }

  private static func of(
    _ context: Contexts.Context, _ options: CallOptions, _ configuration: Configuration
  ) throws -> Destination {
    if options.apiKey != nil || options.apiKeyFile != nil {
      return .server(context.server, key: try key(options, configuration, for: context.server))
    }
    if let file = context.apiKeyFile { return .server(context.server, key: try Configuration.readAPIKey(file)) }
    return .server(context.server, key: context.apiKey ?? "")
  }

  private static func key(
    _ options: CallOptions, _ configuration: Configuration, for server: String
  ) throws -> String {
    if let key = options.apiKey { return key }
    if let file = options.apiKeyFile { return try Configuration.readAPIKey(file) }
    let line = configuration.commandLine
    if line.apiKey != nil, line.apiKeyFile != nil {
      throw CommandError("UPMC_API_KEY and UPMC_API_KEY_FILE are both set. Keep one.")
    }
    if let key = line.apiKey { return key }
    if let file = line.apiKeyFile { return try Configuration.readAPIKey(file) }
    // A context may hold the key of a server that is named by its address.
    if let known = try Contexts.read().contexts.first(where: { $0.server == server }) {
      return try known.apiKeyFile.map(Configuration.readAPIKey) ?? known.apiKey ?? ""
    }
    throw CommandError(
      "\(server) wants an API key: set UPMC_API_KEY or UPMC_API_KEY_FILE, give --api-key-file, or keep one by `upmc context add`."
    )
  }
}
