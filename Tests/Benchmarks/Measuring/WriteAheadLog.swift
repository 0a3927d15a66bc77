internal import Postgres

/// The volume of PostgreSQL's write-ahead log.
enum WriteAheadLog {
  /// Bytes since the database was created: only differences are meaningful.
  static func bytes(_ connection: Connection) throws -> Double {
    let position = Statement("benchmark-wal", "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
    return Double(try connection.run(position).int64(0, 0))
  }
}
