internal import ArgumentParser

/// The way from the command line to the module Server.
enum ServerCommands {
  static func serve() throws {
    throw ValidationError("`upmc serve` is not wired yet.")
  }

  static func demo() throws {
    throw ValidationError("`upmc demo` is not wired yet.")
  }
}
