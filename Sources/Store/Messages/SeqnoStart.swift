package import Domain
package import Postgres

/// The continuation of the SEQNOs of another push server, which this one replaces. Devices drop messages whose SEQNO
/// they have seen, and a late receipt for one of the other server's messages must not be mistaken for one of ours.
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

  /// Creates the missing partitions for SEQNOs up to `seqno`, in a single range, and for at least the next million.
  /// Commit this before calling `move`. Throws `.lockNotAvailable` if another transaction keeps a conflicting lock, for
  /// example while another node creates or drops partitions; try again later.
  package static func makeRoom(after seqno: Seqno, on connection: Connection) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(seqno)
    _ = try connection.run(roomStatement, parameters)
    parameters.append(Store.Limits.partitionSeqnos)
    _ = try connection.run(nextStatement, parameters)
  }

  /// Makes the next message receive a SEQNO above `seqno`. Returns false, without changes, if it would have received
  /// one anyway. Fails with `.lockNotAvailable` if a transaction that has assigned a SEQNO does not end within two
  /// seconds.
  package static func move(behind seqno: Seqno) -> Query<Bool> {
    Query(one: moveStatement, seqno) { $0.bool() }
  }
}
