internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations
internal import Reactor
internal import Store

/// `upmc status`: shows the state of a message.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the progress of a message, or the newest messages.",
    discussion: """
      targeted = pending + accepted + rejected + expired + cancelled + skipped, always. accepted: Apple has taken it; \
      received and read: the device said so. --follow prints a line whenever a number changes, until all is decided.

        upmc status 104 --follow
        upmc status 104 --shards
        upmc status --json
      """)

  @Argument(help: "The message's number; without: the newest messages.")
  var seqno: Int64?

  @Flag(help: "Go on until every delivery is decided.")
  var follow = false

  @Flag(help: "Show how far the parts of the audience are claimed.")
  var shards = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !follow && !shards || seqno != nil else { throw ValidationError("--follow and --shards need a SEQNO.") }
    guard !follow || !shards else { throw ValidationError("--follow goes without --shards.") }
  }

  func run() throws {
    try withDatabase { database in
      guard let seqno else {
        for answer in try ReportService.recent(for: .here, on: database.connection) { show(answer) }
        return
      }
      guard !shards else { return try showShards(of: seqno, database) }
      var last: Funnel?
      while true {
        let answer = try ReportService.funnel(seqno, for: .here, on: database.connection)
        if answer.funnel != last { show(answer) }
        last = answer.funnel
        guard follow, !answer.funnel.state.isFinal else { return }
        Polling.rest(Self.pause)
      }
    }
  }

  /// Poll interval while following a message.
  private static let pause: Duration = .milliseconds(200)

  private func show(_ answer: ReportService.FunnelAnswer) {
    output.show(answer, Self.sentence(answer.funnel))
  }

  /// Prints the shards page by page: one line of totals, then one line per shard.
  private func showShards(of seqno: Int64, _ database: CommandDatabase) throws {
    var page = try PageRequest(limit: "\(Operations.Limits.pageSizes.upperBound)")
    repeat {
      let answer = try ReportService.shards(of: seqno, page, for: .here, on: database.connection)
      output.show(answer, Self.lines(answer, isFirst: page.cursor == nil).joined(separator: "\n"))
      page.cursor = answer.nextCursor
    } while page.cursor != nil
  }

  private static func lines(_ answer: ReportService.ShardsAnswer, isFirst: Bool) -> [String] {
    let all = answer.progress
    let plan = all.planned ? "all planned" : "still planning"
    let sum =
      "\(answer.seqno)  \(all.count) shards, \(plan)  exhausted \(all.exhausted)  "
      + "claimed \(all.claimed) of \(all.targeted)"
    return (isFirst ? [sum] : [])
      + all.page.map { shard in
        "shard \(shard.shard)\(shard.wave > 0 ? "  wave \(shard.wave)" : "")  claimed \(shard.claimed) of "
          + "\(shard.targeted)\(shard.exhausted ? "  exhausted" : "")"
      }
  }

  /// Returns the first 40 characters of the title, or of the body if there is no title.
  private static func title(_ funnel: Funnel) -> String? {
    guard let json = funnel.alert else { return nil }
    var (title, text): (String?, String?)
    var reader = JSONReader(Array(json.utf8))
    do throws(JSONError) {
      if json.hasPrefix("\"") {
        text = try reader.readString()
      } else {
        try reader.readObject { (reader, key) throws(JSONError) in
          switch key {
          case "title": title = try reader.readString()
          case "body": text = try reader.readString()
          default: try reader.skip()
          }
        }
      }
    } catch {
      return nil
    }
    guard let words = title ?? text else { return nil }
    return words.count > 40 ? words.prefix(39) + "…" : words
  }

  static func sentence(_ funnel: Funnel) -> String {
    let decided: [(String, Int64)] = [
      ("rejected", funnel.rejected), ("expired", funnel.expired), ("cancelled", funnel.cancelled),
      ("skipped", funnel.skipped), ("unknown", funnel.unknown), ("resent", funnel.resent),
    ]
    let rare = decided.filter { $0.1 > 0 }.map { "  \($0.0) \($0.1)" }.joined()
    let targeted = funnel.targeted.map { String($0) } ?? "?"
    let pending = funnel.pending.map { String($0) } ?? "?"
    let why = funnel.stateReason.map { "  (\($0))" } ?? ""
    let title = Self.title(funnel).map { "  \"\($0)\"" } ?? ""
    return """
      \(funnel.seqno)  \(funnel.appID)\(title)  \(Timestamp.text(funnel.createdAt))  \(funnel.state.name)  targeted \(targeted)  pending \(pending)  accepted \(funnel.accepted)  \
      received \(funnel.received)  read \(funnel.read)\(rare)\(why)
      """
  }
}
