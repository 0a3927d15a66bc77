internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations
internal import Reactor

/// `upmc status`: shows the progress of a message, or the newest messages.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the progress of a message, or the newest messages.",
    discussion: """
      targeted = pending + accepted + rejected + expired + cancelled + skipped, always. accepted: Apple has taken it; \
      received and read: the device said so. --follow prints a line whenever a number changes, until all is decided.

        upmc status 104 --follow
        upmc status 104 --shards
        upmc status --state open --lane urgent
        upmc status --json
      """)

  @Argument(help: "The message's number; without: the newest messages.")
  var seqno: Int64?

  @Flag(help: "Go on until every delivery is decided.")
  var follow = false

  @Flag(help: "Show how far the parts of the audience are claimed.")
  var shards = false

  @Option(help: "Without a number: only messages in this state (open: all that are not over).")
  var state: String?

  @Option(help: "Without a number: only messages of this lane: urgent, normal or bulk.")
  var lane: String?

  @Option(help: "Without a number: how many, newest first.")
  var limit = 20

  @OptionGroup var call: CallOptions

  func validate() throws {
    guard !follow && !shards || seqno != nil else { throw ValidationError("--follow and --shards need a SEQNO.") }
    guard !follow || !shards else { throw ValidationError("--follow goes without --shards.") }
    guard seqno == nil || state == nil && lane == nil else {
      throw ValidationError("--state and --lane go without a SEQNO.")
    }
  }

  func run() throws {
    try call.withAPI { api in
      guard let seqno else {
        return try ListOutput.show(
          api, .get("messages", query: ["state": state, "lane": lane]), call.output, limit: limit,
          none: "There are no messages of this kind.", Self.sentence)
      }
      guard !shards else { return try showShards(of: seqno, api) }
      var last = ""
      while true {
        let answer = try api.answer(.get("messages", String(seqno))).json
        if answer.line != last { show(answer) }
        last = answer.line
        let state = MessageState.allCases.first { $0.name == answer.text("state") }
        guard follow, state?.isFinal != true else { return }
        Polling.rest(Self.pause)
      }
    }
  }

  /// Interval at which a message is polled while it is followed.
  private static let pause: Duration = .milliseconds(200)

  private func show(_ answer: JSONTree) {
    call.output.show(answer, Self.sentence(answer))
  }

  /// Prints the shards page by page: one line of totals, then one line per shard.
  private func showShards(of seqno: Int64, _ api: any AdminAPI) throws {
    var cursor: String?
    repeat {
      let answer = try api.answer(
        .get(
          "messages", String(seqno), "shards",
          query: ["limit": "\(Operations.Limits.pageSizes.upperBound)", "cursor": cursor])
      ).json
      call.output.show(answer, Self.lines(answer, isFirst: cursor == nil).joined(separator: "\n"))
      cursor = answer.optional("nextCursor")
    } while cursor != nil
  }

  private static func lines(_ answer: JSONTree, isFirst: Bool) -> [String] {
    let plan = answer.flag("planned") ? "all planned" : "still planning"
    let sum =
      "\(answer.text("seqno"))  \(answer.number("shards")) shards, \(plan)  exhausted \(answer.number("exhausted"))  "
      + "claimed \(answer.number("claimed")) of \(answer.number("targeted"))"
    return (isFirst ? [sum] : [])
      + answer.list("items").map { shard in
        "shard \(shard.number("shard"))\(shard.number("wave") > 0 ? "  wave \(shard.number("wave"))" : "")  "
          + "claimed \(shard.number("claimed")) of "
          + "\(shard.number("targeted"))\(shard.flag("exhausted") ? "  exhausted" : "")"
      }
  }

  /// Returns the first 40 characters of the title, or of the body if there is no title.
  private static func title(_ funnel: JSONTree) -> String? {
    guard let alert = funnel.given("alert") else { return nil }
    guard let words = alert.optional("title") ?? alert.optional("body") ?? alert.string else { return nil }
    return words.count > 40 ? words.prefix(39) + "…" : words
  }

  /// Returns the description of a message with its totals, from its funnel or from an entry of a list.
  static func sentence(_ funnel: JSONTree) -> String {
    let rare = ["rejected", "expired", "cancelled", "skipped", "unknown", "resent"].filter { funnel.number($0) > 0 }
      .map { "  \($0) \(funnel.number($0))" }.joined()
    let why = funnel.optional("stateReason").map { "  (\($0))" } ?? ""
    let title = Self.title(funnel).map { "  \"\($0)\"" } ?? ""
    return """
      \(funnel.text("seqno"))  \(funnel.text("appId"))\(title)  \(funnel.text("createdAt"))  \
      \(funnel.text("state"))  targeted \(funnel.optional("targeted") ?? "?")  \
      pending \(funnel.optional("pending") ?? "?")  accepted \(funnel.number("accepted"))  \
      received \(funnel.number("received"))  read \(funnel.number("read"))\(rare)\(why)
      """
  }
}
