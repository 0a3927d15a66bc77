internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Where looks through the messages that are being sent begin, by lane: a slow campaign keeps no look at another lane from
/// beginning behind what is over.
struct LaneScanStarts {
  private var starts: [Lane: QueueStart] = [:]

  /// The last number that was given, asked for before the looks that it is for.
  struct Last {
    fileprivate let began: Instant
    fileprivate let number: Int64

    init(_ connection: Connection, _ clock: any Clock) throws(PostgresError) {
      began = clock.now
      number = try connection.run(Messages.last())
    }
  }

  /// Looks through a lane.
  /// - Parameter look: told where to begin; answers what it found, and the lowest number that waits.
  mutating func look<Found>(
    _ lane: Lane, after last: Last, _ clock: any Clock,
    _ look: (_ start: Int64) throws(PostgresError) -> (found: Found, lowest: Int64?)
  ) throws(PostgresError) -> Found {
    let began = clock.now
    let start = starts[lane, default: QueueStart()].begin(at: began)
    let (found, lowest) = try look(start)
    starts[lane, default: QueueStart()].looked(
      from: start, found: lowest ?? last.number, began: last.began, ended: clock.now)
    return found
  }
}
