internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store

/// Thread `fold`: moves the logged confirmations into block rows and totals (`ConfirmationFold`), one message at a
/// time.
///
/// Every node runs one, without needing a lease: a message that another node is folding is skipped. A message is folded
/// only when enough confirmations have accumulated or they are old enough, because each fold rewrites the rows of its
/// blocks.
struct FoldWorker {
  private let shared: Shared
  private let thresholds = ConfirmationFold.Thresholds()
  private let writer: Int32
  private let isolation: FailureIsolation

  init(_ shared: Shared) {
    self.shared = shared
    writer = LaneWorkers.writers(from: shared.configuration.firstWriter)
    isolation = FailureIsolation(Logger(label: "fold"), shared)
  }

  func run() {
    DatabaseThread("fold", shared).run(cancelledBy: shared.foldCanceller) { connection in
      let began = shared.clock.now
      let due = try connection.run(ConfirmationFold.due(thresholds))
      // A scan reads the whole log: the longer it takes, the rarer the scans.
      let rest = max(Limits.foldPause, (shared.clock.now - began) * Limits.foldLookShare)
      for seqno in due where !shared.isStopping {
        do throws(PostgresError) {
          try fold(seqno, connection)
        } catch {
          guard error.isOwnFault else { throw error }
          isolation.note("receipts of a message cannot be added up", seqno, error)
        }
      }
      shared.stopping.rest(atMost: rest)
    }
  }

  /// Folds a message's log rows, usually all of them in one transaction, until a transaction finds the last. Rows that
  /// arrive later wait for the next call; otherwise a busy message would be folded a few rows at a time. Ends early
  /// when the node stops.
  private func fold(_ seqno: Seqno, _ connection: Connection) throws(PostgresError) {
    var next: Int64? = 0
    while let place = next, !shared.isStopping {
      next = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        try ConfirmationFold.step(of: seqno, after: place, atMost: Limits.foldedRows, writer: writer, on: connection)?
          .next
      }
    }
  }
}

extension Limits {
  static let foldPause: Duration = .seconds(1)
  /// Pause between two scans of the log, as a multiple of a scan's duration; at least `foldPause`.
  static let foldLookShare = 10
  /// Maximum log rows folded in one transaction; rows with many entries reach `ConfirmationFold`'s own limit first.
  static let foldedRows = 200_000
}
