internal import ArgumentParser
internal import JSON

/// `upmc person`: lists the messages that were sent to one user.
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

  @OptionGroup var call: CallOptions

  func run() throws {
    try call.withAPI { api in
      try ListOutput.show(
        api, .get("users", clientUID, "messages", query: ["appId": appID]), call.output, limit: limit,
        none: "Nothing that is kept and was asked for in the last 90 days was sent to \(clientUID).", Self.story)
    }
  }

  /// Returns the description of a message: one line for it and one for each device.
  private static func story(_ entry: JSONTree) -> String {
    let named = entry.flag("confidential") ? "(confidential)" : entry.text("title")
    let head =
      "\(entry.text("createdAt"))  \(entry.text("seqno"))  \(entry.text("lane"))  \(entry.optional("sender") ?? "-")  \(named)"
    let devices = entry.list("devices").map { delivery in
      let words = [
        delivery.text("status"), delivery.optional("reason").map { "(\($0))" }, delivery.optional("at"),
        delivery.optional("receivedAt").map { "received \($0)" }, delivery.optional("readAt").map { "read \($0)" },
      ]
      return "    \(delivery.text("device"))  \(words.compactMap { $0 }.joined(separator: " "))"
    }
    let fallback = entry.given("fallback").map { "    short message: \($0.text("state"))" }
    return ([head] + devices + [fallback].compactMap { $0 }).joined(separator: "\n")
  }
}
