internal import ArgumentParser
internal import JSON

/// `upmc approval`: lists, approves and rejects messages that wait for a second person.
struct ApprovalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approval", abstract: "See what waits for a second person, approve or reject it.",
    discussion: """
      An app waits for one above the size that `upmc app policy --approval-above` sets: messages of accounts, and of \
      commands on this machine. Each Unix user is one person here, and approves nothing that the same user asked for; nor \
      does the account of that name. Root can be any of them.
      """,
    subcommands: [List.self, Approve.self, Reject.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List approvals, newest first.", discussion: "  upmc approval list --state waiting")

    @Option(name: .customLong("app"), help: "Only this app's.")
    var appID: String?

    @Option(help: "waiting, approved, rejected or expired.")
    var state: String?

    @Option(help: "How many.")
    var limit = 50

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("approvals", query: ["appId": appID, "state": state]), call.output, limit: limit,
          none: "Nothing of this kind is there.", ApprovalCommand.sentence)
      }
    }
  }

  struct Approve: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a waiting message go out.", discussion: "  upmc approval approve 7")

    @Argument(help: "Its number.")
    var number: Int64

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        if confirmation.canAsk {
          let entry = try api.answer(.get("approvals", String(number))).json
          try confirmation.ask(
            devices: entry.given("targeted").map { _ in entry.number("targeted") },
            of: "What \(entry.text("requestedBy")) asked for")
        }
        let answer = try api.answer(.post("approvals", String(number), "approve", sealing: .content)).json
        call.output.show(answer, SendSentence.of(answer))
      }
    }
  }

  struct Reject: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Refuse a waiting message.", discussion: "  upmc approval reject 7 --reason \"The wrong price\"")

    @Argument(help: "Its number.")
    var number: Int64

    @Option(help: "Why, for the person who asked.")
    var reason: String?

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let body = reason.map { JSONTree.object([("reason", .text($0))]) }
        let entry = try api.answer(.post("approvals", String(number), "reject", body: body)).json
        call.output.show(entry, ApprovalCommand.sentence(entry))
      }
    }
  }

  private static func sentence(_ entry: JSONTree) -> String {
    let targeted = entry.optional("targeted").map { "\($0) devices" } ?? "more devices than are counted at once"
    return "\(entry.text("approvalId"))  \(entry.text("state"))  \(entry.text("requestedBy"))  "
      + "\(targeted)\(entry.optional("seqno").map { "  message \($0)" } ?? "")"
  }
}
