internal import ArgumentParser

/// Refuses `--server` and `--context`, for commands that work only on this machine or its database.
struct LocalOnly: ParsableArguments {
  @Option(help: .hidden)
  var server: String?

  @Option(help: .hidden)
  var context: String?

  func validate() throws {
    guard server == nil, context == nil else {
      throw ValidationError(
        """
        This command works on the database and the files of a machine, so no server can do it for you. Run it without \
        --server on a machine of the server's, with its UPMC_DATABASE_URL and UPMC_MASTER_KEY_FILE.
        """)
    }
  }
}
