internal import ArgumentParser
internal import Operations
internal import Server

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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: limit, none: "Nothing of this kind is there.",
          { (entry: ApprovalService.Entry) in entry.sentence }
        ) { page in
          try ApprovalService.list(
            of: appID, state: state, page, by: .here, on: database.connection,
            now: database.now)
        }
      }
    }
  }

  struct Approve: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a waiting message go out.", discussion: "  upmc approval approve 7")

    @Argument(help: "Its number.")
    var number: Int64

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let answer = try ApprovalService.approve(
          number, hosting: ContentHosting(publicURL: database.configuration.publicURL), seal: database.contentSeal,
          by: .here, on: database.connection, now: database.now)
        output.show(answer, Send.sentence(answer))
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entry = try ApprovalService.reject(
          number, reason: reason, by: .here, on: database.connection, now: database.now)
        output.show(entry, entry.sentence)
      }
    }
  }
}

extension ApprovalService.Entry {
  fileprivate var sentence: String {
    let targeted = targeted.map { "\($0) devices" } ?? "more devices than are counted at once"
    return "\(number)  \(state)  \(requestedBy)  \(targeted)\(seqno.map { "  message \($0)" } ?? "")"
  }
}
