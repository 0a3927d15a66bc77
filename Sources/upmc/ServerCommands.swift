internal import FoundationEssentials
internal import Server

/// Runs the server and the demonstration of the module `Server`.
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
