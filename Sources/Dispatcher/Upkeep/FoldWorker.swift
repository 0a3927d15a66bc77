internal import Logging
internal import Postgres
internal import Reactor
internal import Store

/// Thread `fold`: folds the log of confirmations into blocks and totals (`ConfirmationFold`), one message at a time.
///
/// Every node runs one, and none needs a lease: rows locked by another node are skipped. A message waits until a fold
/// is worth it, because each fold rewrites a block's row for all that has arrived meanwhile.
struct FoldWorker {
  private let shared: Shared
  private let thresholds = ConfirmationFold.Thresholds()
  private let writer: Int32
  private let setAside: FailureIsolation

  init(_ shared: Shared) {
    self.shared = shared
    writer = LaneWorkers.writers(from: shared.configuration.firstWriter)
    setAside = FailureIsolation(Logger(label: "fold"), shared)
  }

  func run() {
    DatabaseThread("fold", shared).run { connection in
      let began = shared.clock.now
      let due = try connection.run(ConfirmationFold.due(thresholds))
      // A scan reads the whole log: the larger the log, the rarer the scans.
      let rest = max(Limits.foldPause, (shared.clock.now - began) * Limits.foldLookShare)
      for seqno in due where !shared.isStopping {
        do throws(PostgresError) {
          try fold(seqno, connection)
        } catch {
          guard error.isOwnFault else { throw error }
          setAside.note("receipts of a message cannot be added up", seqno, error)
        }
      }
      shared.stopping.rest(atMost: rest)
    }
  }

  /// Folds what is there. What arrives meanwhile waits for the next time, or a busy message would be folded for a few
  /// entries at a time.
  private func fold(_ seqno: Int64, _ connection: Connection) throws(PostgresError) {
    var place: Int64 = 0
    while !shared.isStopping {
      let step = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        try ConfirmationFold.step(of: seqno, after: place, atMost: Limits.foldedRows, writer: writer, on: connection)
      }
      guard let step, step.rows == Limits.foldedRows else { return }
      place = step.last
    }
  }
}

extension Limits {
  static let foldPause: Duration = .seconds(1)
  /// The pause between two scans of the log, as a multiple of what one took.
  static let foldLookShare = 10
  /// Log rows folded in one transaction: up to half a million entries in a burst, one second.
  static let foldedRows = 2_000
}
