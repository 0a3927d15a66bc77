internal import Postgres
internal import Reactor

/// The cost of receipts on both sides of the database connection.
struct ReceiptCost {
  let receipts: Int
  /// Microseconds of CPU time per receipt.
  let serverMicroseconds: Double
  let databaseMicroseconds: Double
  /// Bytes of PostgreSQL's write-ahead log per receipt.
  let walBytes: Double

  /// - Parameter body: sends receipts and returns how many.
  init(_ server: Program, _ stage: ReceiptStage, _ body: () throws -> Int) throws {
    let connection = try Connection(stage.databaseURL)
    let database = try ProcessTree.postgres(connection)
    let before = (server.tree.processorSeconds, database.processorSeconds, try WriteAheadLog.bytes(connection))
    let receipts = try body()
    let count = Double(max(1, receipts))
    self.receipts = receipts
    serverMicroseconds = (server.tree.processorSeconds - before.0) * 1_000_000 / count
    databaseMicroseconds = (database.processorSeconds - before.1) * 1_000_000 / count
    walBytes = (try WriteAheadLog.bytes(connection) - before.2) / count
  }
}
