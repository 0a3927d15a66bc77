package import Postgres

/// Letting SEQNOs go on behind those of another push server: devices drop a message whose number they have seen, and a late
/// receipt for a message of the other server must not be taken for one of ours.
package enum SeqnoStart {
  private static let roomStatement = Statement(
    "seqno-start-room",
    """
    SELECT CASE WHEN max(upto_seqno) <= $1 THEN add_seqno_range($1 + 1 - max(upto_seqno)) END FROM seqno_ranges
    """)

  private static let nextStatement = Statement(
    "seqno-start-next",
    """
    SELECT CASE WHEN max(upto_seqno) - $1 < $2 THEN add_seqno_range($2) END FROM seqno_ranges
    """)

  private static let moveStatement = Statement("seqno-start-move", "SELECT go_on_behind_seqno($1)")

  /// Makes the partitions behind a number: those that are left out have one together. Commit it before `move`. Fails with
  /// `.lockNotAvailable` while somebody reads the history for long.
  package static func makeRoom(after seqno: Int64, on connection: Connection) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(seqno)
    _ = try connection.run(roomStatement, parameters)
    parameters.append(Store.Limits.partitionSeqnos)
    _ = try connection.run(nextStatement, parameters)
  }

  /// The next message gets a higher number. Answers false when it would have got one anyway. Fails with
  /// `.lockNotAvailable` while a transaction that has taken a number is open for long.
  package static func move(behind seqno: Int64) -> Query<Bool> {
    var parameters = Parameters()
    parameters.append(seqno)
    return Query(moveStatement, parameters) { $0.bool(0, 0) }
  }
}
