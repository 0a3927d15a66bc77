internal import ArgumentParser
internal import Server

/// `upmc serve`: runs the server.
struct Serve: ParsableCommand, StopsInOrder {
  static let configuration = CommandConfiguration(
    abstract: "Serve devices, back offices and the console until SIGTERM or Ctrl-C.",
    discussion: """
      Everything is configured by environment variables. Nothing is needed to try it out: without UPMC_DATABASE_URL a \
      private PostgreSQL is made in UPMC_DATA_DIR, and stopped with the server.

        UPMC_LISTEN=0.0.0.0:8080 upmc serve
        UPMC_DATABASE_URL=postgresql://upmc@db1,db2/upmc \\
        UPMC_MASTER_KEY_FILE=master.key upmc serve

      VARIABLES

      \(variables)
      """)

  /// The help text for all environment variables: one paragraph each, by topic.
  private static var variables: String {
    Configuration.topics.map { topic in
      "\(topic.title)\n\n" + topic.variables.map(paragraph).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  private static func paragraph(_ variable: Configuration.Variable) -> String {
    let standard = variable.standard.isEmpty ? "" : " [\(variable.standard)]"
    return "  \(variable.name)\(standard)\n      \(variable.meaning)"
  }

  @OptionGroup var here: LocalOnly

  func run() throws {
    try ServerCommands.serve()
  }
}

/// `upmc demo`: runs a demonstration on this machine.
struct Demo: ParsableCommand, StopsInOrder {
  static let configuration = CommandConfiguration(
    abstract: "Show everything on this machine: server, simulator, virtual devices, and a first push.",
    discussion: """
      Starts a simulator in Apple's place and a server with its private database, registers virtual devices, sends them \
      a push with a badge, and prints its funnel as it fills. Then it keeps serving, and prints the curl lines for the \
      next push. Ctrl-C stops every process it started; the data stays for the next time.

        upmc demo
      """)

  @OptionGroup var here: LocalOnly

  func run() throws {
    try ServerCommands.demo()
  }
}
