internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// The SEQNOs at which the scans for unfinished messages start, one per lane, so that a slow campaign in one lane does
/// not make the scans of another lane read that lane's finished messages again and again.
struct LaneScanStarts {
  private var starts: [Lane: QueueStart<Seqno>] = [:]

  /// The highest SEQNO issued, which must be read before the scans that use it.
  struct Last {
    fileprivate let began: Instant
    fileprivate let number: Seqno

    init(_ connection: Connection, _ clock: any Clock) throws(PostgresError) {
      began = clock.now
      number = try connection.run(Messages.last())
    }
  }

  /// Scans a lane, remembers where its next scan starts, and returns what the scan found.
  /// - Parameters:
  ///   - last: the highest SEQNO issued before this scan.
  ///   - look: receives the SEQNO to start at; returns what it found and the lowest SEQNO still waiting, nil if none
  ///     is.
  mutating func look<Found>(
    _ lane: Lane, after last: Last, _ clock: any Clock,
    _ look: (_ start: Seqno) throws(PostgresError) -> (found: Found, lowest: Seqno?)
  ) throws(PostgresError) -> Found {
    let began = clock.now
    let start = starts[lane, default: QueueStart()].begin(at: began)
    let (found, lowest) = try look(start)
    starts[lane, default: QueueStart()].looked(
      from: start, found: lowest ?? last.number, began: last.began, ended: clock.now)
    return found
  }
}
