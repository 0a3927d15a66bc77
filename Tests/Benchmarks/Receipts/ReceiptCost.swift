internal import Postgres
internal import Reactor

/// What receipts cost while they were sent, to both sides of the database connection.
struct ReceiptCost {
  let receipts: Int
  /// Microseconds of processor time a receipt.
  let serverMicroseconds: Double
  let databaseMicroseconds: Double
  /// Of the database's log, a receipt.
  let walBytes: Double

  /// - Parameter body: sends receipts, and answers how many.
  init(_ server: Program, _ stage: ReceiptStage, _ body: () throws -> Int) throws {
    let connection = try Connection(stage.databaseURL)
    let database = try ProcessTree.postgres(connection)
    let before = (server.tree.processorSeconds, database.processorSeconds, try Self.walBytes(connection))
    let receipts = try body()
    let count = Double(max(1, receipts))
    self.receipts = receipts
    serverMicroseconds = (server.tree.processorSeconds - before.0) * 1_000_000 / count
    databaseMicroseconds = (database.processorSeconds - before.1) * 1_000_000 / count
    walBytes = (try Self.walBytes(connection) - before.2) / count
  }

  static func walBytes(_ connection: Connection) throws -> Double {
    let position = Statement("benchmark-wal", "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
    return Double(try connection.run(position).int64(0, 0))
  }
}
