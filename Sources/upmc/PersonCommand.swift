internal import ArgumentParser
internal import Operations

/// `upmc person`: shows what was sent to one person.
struct PersonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person", abstract: "See what was sent to a user, newest first, and what became of it.",
    discussion: """
      The messages that were asked for in the last 90 days, with the outcome, receipt and read of each device that the user \
      has now; not those that were reserved earlier and went out since. What a message says is not shown, only its title, \
      and of a confidential one not even that.

        upmc person com.example.bank kim01
        upmc person com.example.bank kim01 --limit 200 --json
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Argument(help: "CUID of the user.")
  var clientUID: String

  @Option(help: "How many.")
  var limit = 50

  @OptionGroup var output: OutputOptions

  func run() throws {
    try withDatabase { database in
      try ListOutput.show(
        output, limit: limit,
        none: "Nothing that is kept and was asked for in the last 90 days was sent to \(clientUID).",
        { (entry: PersonHistory.Entry) in entry.story }
      ) { page in
        try PersonHistory.list(clientUID, of: appID, page, by: .here, on: database.connection, now: database.now)
      }
    }
  }
}
