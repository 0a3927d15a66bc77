internal import ArgumentParser
internal import JSON

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

  @OptionGroup var call: CallOptions

  func run() throws {
    try call.withAPI { api in
      try ListOutput.show(
        api, .get("audit", query: ["appId": appID, "action": action, "actor": actor]), call.output, limit: limit,
        none: "Nothing of this kind is in the log."
      ) { entry in
        let after = entry.given("after").map { "  \($0.line)" } ?? ""
        return "\(entry.text("at"))  \(entry.text("actor"))  \(entry.text("action"))  \(entry.text("object"))\(after)"
      }
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

  @OptionGroup var call: CallOptions

  func run() throws {
    let request = AdminRequest.get(
      "statistics", query: ["appId": appID, "from": from, "to": to, "by": by, "per": per])
    try call.withAPI { api in
      let report = try api.answer(request).json
      if call.output.json { return Output.line(report) }
      let rows = report.list("items")
      if rows.isEmpty { Output.line("No data in this time.") }
      for row in rows {
        let counts = Self.counts.map { "\($0) \(row.number($0))" }.joined(separator: ", ")
        Output.line("\(row.text("at"))  \(row.text(report.text("per")))  \(counts)")
      }
    }
  }

  private static let counts = [
    "accepted", "rejected", "expired", "cancelled", "skipped", "received", "read", "joined", "left",
  ]
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

  @OptionGroup var call: CallOptions

  func run() throws {
    var request = AdminRequest.get("messages", String(seqno), "users", clientUID, "explain")
    request.headers.append(("accept-language", language))
    try call.withAPI { api in
      let answer = try api.answer(request).json
      call.output.show(answer, answer.list("steps").map(Self.sentence).joined(separator: "\n"))
      guard !answer.list("steps").contains(where: { $0.text("code") == "unknown-user" }) else {
        throw CommandError("The app has no user \(clientUID).")
      }
    }
  }

  private static func sentence(_ step: JSONTree) -> String {
    let place = step.optional("device").map { "[\($0)] " } ?? ""
    let advice = step.optional("advice").map { " → \($0)" } ?? ""
    return "\(step.optional("at") ?? "                        ")  \(place)\(step.text("text"))\(advice)"
  }
}
