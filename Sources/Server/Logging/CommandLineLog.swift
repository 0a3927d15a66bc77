internal import Logging
internal import Postgres
internal import Reactor
internal import Store

/// Logs what was changed at the command line while this server runs: an app paused, a credential replaced, a message
/// sent. Reads the audit log, because those commands use the database directly, not a server. Called on the thread
/// `catalog` after the catalog was reloaded, so that a change is in force when its line is written; the first look is
/// taken before the server serves, so that it misses nothing. Decision 136.
struct CommandLineLog: Sendable {
  private enum Limits {
    static let interval = Duration.seconds(1)
    /// The number of entries below the newest that are read again: a transaction may commit after one with a higher
    /// number.
    static let overlap: Int64 = 100
  }

  private let log = Logger(label: "commands")
  private let clock = SystemClock()
  private var nextLook = Instant(nanoseconds: 0)
  /// The newest entry at the last look; nil before the first look, which only notes where the audit log ends.
  private var newest: Int64?
  /// The numbers of entries within the overlap that are logged already, or older than this server.
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

  /// Returns true if an action's object never names a person. Other objects are left out, because logs are kept for
  /// longer than personal data.
  static func namesNobody(_ action: String) -> Bool {
    let subjects: Set<Substring> = [
      "app", "api-key", "approval", "channel", "credential", "group", "import", "message", "segment", "seqno",
      "webhook",
    ]
    return subjects.contains(action.prefix { $0 != "." })
  }
}
