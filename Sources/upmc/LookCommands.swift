internal import ArgumentParser
internal import Operations
internal import Store

/// `upmc audit`: lists who changed what.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "See who did what, newest first.",
    discussion: """
        upmc audit --action message --limit 20
        upmc audit --app com.example.bank --json
      """)

  @Option(name: .customLong("app"), help: "Only what concerns this app.")
  var appID: String?

  @Option(help: "For example app.change, or app for all that happened to apps.")
  var action: String?

  @Option(help: "The name of a key or account.")
  var actor: String?

  @Option(help: "How many.")
  var limit = 50

  @OptionGroup var output: OutputOptions

  func run() throws {
    let question = AuditTrail.Question(appID: appID, action: action, actor: actor)
    try withDatabase { database in
      try ListOutput.show(
        output, limit: limit, none: "Nothing of this kind is in the log.",
        { (entry: AuditTrail.Entry) in
          let record = entry.record
          let after = record.after.map { "  \($0)" } ?? ""
          return "\(Timestamp.text(record.at))  \(record.actor)  \(record.action)  \(record.object)\(after)"
        }
      ) { page in try AuditTrail.list(question, page, by: .here, on: database.connection) }
    }
  }
}

/// `upmc statistics`: shows activity over time.
struct StatisticsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "statistics", abstract: "Show what happened by minute, hour or day.",
    discussion: """
        upmc statistics --app com.example.bank --by day
        upmc statistics --by minute --per reason --from 2026-12-24T09:00:00+09:00
      """)

  @Option(name: .customLong("app"), help: "Only this app.")
  var appID: String?

  @Option(help: "minute, hour or day.")
  var by = "hour"

  @Option(help: "app, network, lane, reason or appVersion.")
  var per: String?

  @Option(help: "From then on.")
  var from: String?

  @Option(help: "Before then.")
  var to: String?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let question = StatisticsService.Question(appID: appID, from: from, to: to, by: by, per: per)
    try withDatabase { database in
      let report = try StatisticsService.report(
        question, by: .here, on: database.connection, now: database.now)
      if output.json { return Output.line(report) }
      if report.rows.isEmpty { Output.line("Nothing happened in this time.") }
      for row in report.rows {
        let counts = row.counts
        Output.line(
          """
          \(Timestamp.text(row.at))  \(row.part)  accepted \(counts.accepted), rejected \(counts.rejected), \
          expired \(counts.expired), cancelled \(counts.cancelled), skipped \(counts.skipped), \
          received \(counts.received), read \(counts.read), joined \(counts.joined), left \(counts.left)
          """)
      }
    }
  }
}

/// `upmc explain`: explains what happened to one message for one person.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Tell what became of a message for one user, and what to do.",
    discussion: """
        upmc explain 104 kim01
        upmc explain 104 kim01 --language ko
      """)

  @Argument(help: "The message's number.")
  var seqno: Int64

  @Argument(help: "CUID of the user.")
  var clientUID: String

  @Option(help: "en or ko.")
  var language = "en"

  @OptionGroup var output: OutputOptions

  func run() throws {
    try withDatabase { database in
      let answer = try ExplanationService.explain(
        seqno, for: clientUID, language: language, by: .here, on: database.connection)
      output.show(answer, answer.story)
    }
  }
}
