internal import Logging
internal import Postgres
internal import Reactor
internal import Store

/// Logs what was changed at the command line while this server runs: an app paused, a credential replaced, a message
/// sent. It reads the audit log, because those commands go to the database, not to a server. On the thread `catalog`,
/// after the catalog was reloaded: so the change is in force when its line is written. Decision 136.
struct CommandLineLog {
  private enum Limits {
    static let interval = Duration.seconds(1)
    /// Entries below the newest that are read again: a transaction may commit after one with a higher number.
    static let overlap: Int64 = 100
  }

  private let log = Logger(label: "commands")
  private let clock = SystemClock()
  private var nextLook = Instant(nanoseconds: 0)
  /// The newest entry at the last look; nil before the first, which only notes where the log ends.
  private var newest: Int64?
  /// Entries within the overlap that are logged, or older than this server.
  private var known: Set<Int64> = []

  mutating func look(_ connection: Connection) throws(PostgresError) {
    guard clock.now >= nextLook else { return }
    nextLook = clock.now + Limits.interval
    let last = try connection.run(AuditLog.last())
    guard last != newest else { return }
    let start = max(0, min(last, newest ?? last) - Limits.overlap)
    let entries = try connection.run(AuditLog.atCommandLine(after: start))
    if newest != nil { for entry in entries where !known.contains(entry.entry) { tell(entry) } }
    newest = last
    known = Set(entries.lazy.map(\.entry).filter { $0 > last - Limits.overlap })
  }

  private func tell(_ entry: AuditLog.Command) {
    var metadata: Logger.Metadata = ["action": "\(entry.action)", "caller": "\(entry.actor)"]
    if let app = entry.appID { metadata["app"] = "\(app)" }
    if Self.namesNobody(entry.action) {
      if entry.action.hasPrefix("message."), let seqno = Int64(entry.object) {
        metadata["seqno"] = .stringConvertible(seqno)
      } else {
        metadata["object"] = "\(entry.object)"
      }
    }
    log.info("changed at the command line", metadata: metadata)
  }

  /// Logs are kept for longer than people's data: objects that may name a person stay out.
  static func namesNobody(_ action: String) -> Bool {
    let subjects: Set<Substring> = [
      "app", "api-key", "approval", "channel", "credential", "group", "import", "message", "segment", "seqno",
      "webhook",
    ]
    return subjects.contains(action.prefix { $0 != "." })
  }
}
