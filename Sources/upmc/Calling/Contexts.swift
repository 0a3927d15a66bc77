internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Reactor

/// The user's servers with their API keys, stored in `~/.config/upmc/contexts.json`, which only its owner may read.
struct Contexts {
  struct Context: Equatable {
    var name: String
    var server: String
    /// The API key itself; nil if it is in `apiKeyFile`.
    var apiKey: String?
    /// File with the API key; nil if the key is in `apiKey`.
    var apiKeyFile: String?
  }

  var contexts: [Context] = []
  /// Name of the context in use; nil if none.
  var current: String?

  var present: Context? { current.flatMap { name in contexts.first { $0.name == name } } }

  /// Returns the context with this name.
  /// - Throws: `CommandError` if there is none.
  func context(_ name: String) throws -> Context {
    guard let context = contexts.first(where: { $0.name == name }) else {
      let known = contexts.isEmpty ? "there is none yet" : "there are \(contexts.map(\.name).joined(separator: ", "))"
      throw CommandError("There is no context \(name): \(known). `upmc context add` makes one.")
    }
    return context
  }

  // MARK: Storage

  /// Directory of the file; nil if the user has no home directory.
  static var directory: String? {
    let environment = ProcessInfo.processInfo.environment
    if let configured = environment["XDG_CONFIG_HOME"], configured.hasPrefix("/") { return configured + "/upmc" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.config/upmc"
  }

  static var path: String? { directory.map { $0 + "/contexts.json" } }

  /// Reads the file. Returns no contexts if it does not exist.
  /// - Throws: `CommandError` if other users may read it or it is damaged.
  static func read() throws -> Contexts {
    guard let path, let status = FileStatus(path) else { return Contexts() }
    guard status.permissions & 0o077 == 0 else {
      throw CommandError("\(path) holds API keys, and others may read it. Run: chmod 600 \(path)")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError("\(path) cannot be read. Give this user the right to.")
    }
    do throws(JSONError) {
      return Contexts(try JSONTree(parsing: Array(data)))
    } catch {
      throw CommandError("\(path) is damaged: \(error). Fix it, or move it away and add the contexts again.")
    }
  }

  func write() throws {
    guard let directory = Self.directory, let path = Self.path else {
      throw CommandError("There is no place for contexts: neither HOME nor XDG_CONFIG_HOME is set.")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try PrivateFile.replace(path, Array((json.pretty() + "\n").utf8))
    } catch {
      throw CommandError("\(path) could not be written: \(error)")
    }
  }

  init() {}

  private init(_ json: JSONTree) {
    current = json.optional("current")
    contexts = json.list("contexts").map { entry in
      Context(
        name: entry.text("name"), server: entry.text("server"), apiKey: entry.optional("apiKey"),
        apiKeyFile: entry.optional("apiKeyFile"))
    }
  }

  private var json: JSONTree {
    .members([
      "current": current.map { .text($0) } ?? .null,
      "contexts": .list(
        contexts.map { context in
          .members([
            "name": .text(context.name), "server": .text(context.server), "apiKey": .optional(context.apiKey),
            "apiKeyFile": .optional(context.apiKeyFile),
          ])
        }),
    ])
  }
}
