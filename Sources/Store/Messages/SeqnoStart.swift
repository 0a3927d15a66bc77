package import Domain
package import Postgres

/// Continues the SEQNOs of another push server that ours replaces. Devices drop messages whose SEQNO they have seen,
/// and a late receipt for one of the other server's messages must not be taken for one of ours.
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

  /// Creates the partitions for SEQNOs above `seqno`; the skipped range gets a single partition. Commit this before
  /// calling `move`. Fails with `.lockNotAvailable` while a long transaction reads the history.
  package static func makeRoom(after seqno: Seqno, on connection: Connection) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(seqno)
    _ = try connection.run(roomStatement, parameters)
    parameters.append(Store.Limits.partitionSeqnos)
    _ = try connection.run(nextStatement, parameters)
  }

  /// Ensures that the next message gets a SEQNO above `seqno`. Returns false if it would have got one anyway. Fails
  /// with `.lockNotAvailable` while a long transaction holds a SEQNO that was assigned to it.
  package static func move(behind seqno: Seqno) -> Query<Bool> {
    Query(one: moveStatement, seqno) { $0.bool() }
  }
}
