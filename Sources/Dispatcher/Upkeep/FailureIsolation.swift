internal import Domain
internal import Logging
internal import Metrics
internal import Postgres
internal import Store

/// Isolation of messages and outcomes whose own data causes a failure: the message is paused with the reason, so that
/// the rest continues.
///
/// ```
///   a batch fails ──► bisected, again and again ──► one that fails alone ──► its message is paused, with the reason
/// ```
/// If the database is unavailable, busy or full, no message is at fault: then the whole batch is retried.
struct FailureIsolation {
  private let log: Logger
  private let meter: IsolatedFailureMeter

  init(_ log: Logger, _ shared: Shared) {
    self.init(log, shared.configuration.metrics)
  }

  init(_ log: Logger, _ metrics: Metrics) {
    self.log = log
    meter = IsolatedFailureMeter(metrics)
  }

  /// Returns true if the data itself causes the error, so that a retry would fail again: PostgreSQL reports invalid
  /// data, a violated constraint or an exceeded limit, or this release cannot read the request (`Problem`).
  static func isOwnFault(_ error: any Error) -> Bool {
    if error is Problem { return true }
    return (error as? PostgresError)?.isOwnFault == true
  }

  /// Sets a message aside that cannot be processed, in a transaction of its own, and logs that: pauses it, or, if it is
  /// paused already, notes the reason, without which its orphaned claims would be adopted in vain for ever. Returns
  /// false, doing nothing, if the message does not exist, was set aside before, has ended or is being cancelled.
  @discardableResult
  func message(_ seqno: Seqno, because error: any Error, _ connection: Connection) throws -> Bool {
    let isPaused = try connection.withTransaction { () throws -> Bool in
      guard let message = try connection.run(Controls.lock(seqno)), !message.isSetAside else { return false }
      let effect = MessageControl.pause.effect(on: message.status)
      guard effect == .become(.paused) || effect == .nothing else { return false }
      try connection.run(Controls.setAside(seqno, because: Self.words(error)))
      return true
    }
    if isPaused { note("a message cannot be handled and is paused, so that others go on", seqno, error) }
    return isPaused
  }

  func messages(_ unreadable: [Seqno: Problem], _ connection: Connection) throws {
    for (seqno, problem) in unreadable { try message(seqno, because: problem, connection) }
  }

  /// Logs and counts a failure that does not stop processing.
  /// - Parameter seqno: the message concerned; nil if the failure concerns none or several.
  func note(_ what: Logger.Message, _ seqno: Seqno?, _ error: any Error) {
    meter.setAside()
    var metadata: Logger.Metadata = ["error": "\(Self.words(error))"]
    if let seqno { metadata["seqno"] = "\(seqno)" }
    log.error(what, metadata: metadata)
  }

  private static func words(_ error: any Error) -> String {
    guard let problem = error as? Problem else { return "\(error)" }
    // Nothing is wrong with the message.
    if problem.code == .notConfigured { return String(problem.detail.dropLast()) }
    let fields = problem.fields.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ")
    return "this release cannot read it: \(fields.isEmpty ? problem.detail : fields)"
  }
}

/// Counter of the failures isolated by any thread.
struct IsolatedFailureMeter {
  private let count: Counter

  init(_ metrics: Metrics) {
    count = metrics.counter(
      "upmc_set_aside_total", "Messages and outcomes that could not be handled because of themselves and were isolated."
    )
  }

  func setAside() { count.add() }
}
