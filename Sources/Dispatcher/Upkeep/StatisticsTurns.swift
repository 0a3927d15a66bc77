internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// When a node rolls statistics up, and what there is to tell of it. While the roll-up fails because of its data, the
/// node says so once and tries seldom, because it would fail again; minutes are kept meanwhile, so nothing is lost.
struct StatisticsTurns {
  enum News {
    /// The roll-up fails because of its data, and did not at the last try.
    case failed(PostgresError)
    /// The roll-up works again, on this node or on another one.
    case mended
  }

  /// The earliest time of the next try; nil while the roll-up works.
  private var nextTry: Instant?

  /// Rolls up what is complete, unless the roll-up failed less than `Limits.rollupRetryPause` ago. Returns what has
  /// changed; nil if nothing has. Throws failures that are not the data's fault.
  /// - Parameters:
  ///   - now: the database's time.
  ///   - moment: the present time of the node's monotonic clock.
  mutating func step(_ connection: Connection, now: Timestamp, at moment: Instant) throws(PostgresError) -> News? {
    let isFailing = nextTry != nil
    if let nextTry, moment < nextTry { return nil }
    do throws(PostgresError) {
      let didWork = try StatisticsRollup.run(connection, now: now)
      guard isFailing else { return nil }
      // Another node is at it, and may fail.
      if !didWork, try connection.run(StatisticsRollup.isDue(at: now)) { return nil }
    } catch {
      guard error.isOwnFault else { throw error }
      nextTry = moment + Limits.rollupRetryPause
      return isFailing ? nil : News.failed(error)
    }
    nextTry = nil
    return .mended
  }
}

extension Limits {
  /// Pause between two tries of a roll-up of statistics that fails because of its data. No longer than an hour waits
  /// for its roll-up anyhow.
  static let rollupRetryPause: Duration = .seconds(600)
}
