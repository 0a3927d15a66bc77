internal import Domain
internal import Logging
internal import Metrics
internal import Postgres
internal import Store

/// Isolates a message or outcome that fails by its own fault: it is taken out of the way with its reason, so that the
/// rest goes on.
///
/// ```
///   a batch fails ──► bisected, again and again ──► one that fails alone ──► its message is paused, with the reason
/// ```
/// A database that is away, busy or full is no message's fault: then the whole batch is retried.
struct FailureIsolation {
  private let log: Logger
  private let meter: SetAsideMeter

  init(_ log: Logger, _ shared: Shared) {
    self.init(log, shared.configuration.metrics)
  }

  init(_ log: Logger, _ metrics: Metrics) {
    self.log = log
    meter = SetAsideMeter(metrics)
  }

  /// True if the same would fail again, whenever it is retried.
  static func isOwnFault(_ error: any Error) -> Bool {
    if error is Problem { return true }
    return (error as? PostgresError)?.isOwnFault == true
  }

  /// Pauses a message that cannot be handled. Returns false if it could not be paused: it was over, or is being
  /// cancelled.
  @discardableResult
  func message(_ seqno: Int64, because error: any Error, _ connection: Connection) throws -> Bool {
    let isPaused = try connection.withTransaction { () throws -> Bool in
      guard let message = try connection.run(Controls.lock(seqno)),
        MessageControl.pause.effect(on: message.standing) == .become(.paused)
      else { return false }
      try connection.run(Controls.setAside(seqno, because: Self.words(error)))
      return true
    }
    if isPaused { note("a message cannot be handled and is paused, so that others go on", seqno, error) }
    return isPaused
  }

  func messages(_ unreadable: [Int64: Problem], _ connection: Connection) throws {
    for (seqno, problem) in unreadable { try message(seqno, because: problem, connection) }
  }

  /// Records in log and metrics that work goes on without something.
  func note(_ what: Logger.Message, _ seqno: Int64, _ error: any Error) {
    meter.setAside()
    log.error(what, metadata: ["seqno": .stringConvertible(seqno), "error": "\(Self.words(error))"])
  }

  private static func words(_ error: any Error) -> String {
    guard let problem = error as? Problem else { return "\(error)" }
    let fields = problem.fields.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ")
    return "this release cannot read it: \(fields.isEmpty ? problem.detail : fields)"
  }
}

/// Counts what any thread isolated.
struct SetAsideMeter {
  private let count: Counter

  init(_ metrics: Metrics) {
    count = metrics.counter(
      "upmc_set_aside_total", "Messages and outcomes that could not be handled because of themselves and were isolated."
    )
  }

  func setAside() { count.add() }
}
