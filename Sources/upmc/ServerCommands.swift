internal import FoundationEssentials
internal import Server

/// Starts the server or the demonstration, both of which the module `Server` implements, with the configuration from
/// the environment.
enum ServerCommands {
  static func serve() throws {
    try Serving.run(try configuration())
  }

  static func demo() throws {
    try Demonstration.run(try configuration())
  }

  private static func configuration() throws -> Configuration {
    try Configuration(environment: ProcessInfo.processInfo.environment)
  }
}
