package import Domain
internal import Postgres
package import Time

/// Statistics per minute, written together with the totals of messages, in separate rows per writer, so that no writer
/// waits for another. Statistics are never recomputed from deliveries. Tests are not counted. Decision 137.
///
/// Minutes are later rolled up to hours and days (`StatisticsRollup`). Decision 015.
package enum Statistics {
  /// The properties by which deliveries and devices are counted.
  package struct Key: Hashable, Sendable {
    package let app: App.Number
    /// The network; nil if none is concerned, or if it is unknown because the delivery was never submitted to one.
    package var network: PushNetwork?
    /// The message's lane; nil if no message is concerned.
    package var lane: Lane?
    /// The app version that the device reported; empty when unknown.
    package var appVersion = ""
    /// Why deliveries failed or devices left; empty for accepted, received, read and joined.
    package var reason = ""

    package init(app: App.Number) {
      self.app = app
    }
  }

  package struct Counts: Equatable, Sendable {
    package var accepted: Int64 = 0
    package var rejected: Int64 = 0
    package var expired: Int64 = 0
    package var cancelled: Int64 = 0
    package var skipped: Int64 = 0
    package var received: Int64 = 0
    package var read: Int64 = 0
    /// Number of devices that registered for the first time, or again after they had left.
    package var joined: Int64 = 0
    /// Number of devices that unregistered, that lost their token to another device, or whose token the network
    /// reported as invalid.
    package var left: Int64 = 0

    package init() {}

    /// The counts in the order of the table's columns.
    var values: [Int64] { [accepted, rejected, expired, cancelled, skipped, received, read, joined, left] }
  }

  /// The counts that one writer adds in one transaction.
  package struct Tally: Sendable {
    package private(set) var cells: [Key: Counts] = [:]

    package init() {}

    package var isEmpty: Bool { cells.isEmpty }

    /// Counts deliveries that ended with this status. Ignores deferred deliveries, which have not ended.
    /// - Parameter key: nil for deliveries that are not counted.
    package mutating func count(
      _ status: OutcomeStatus, _ key: Key?, times: Int64 = 1
    ) {
      guard let key else { return }
      switch status {
      case .accepted: cells[key, default: Counts()].accepted += times
      case .rejected: cells[key, default: Counts()].rejected += times
      case .expired: cells[key, default: Counts()].expired += times
      case .cancelled: cells[key, default: Counts()].cancelled += times
      case .skipped: cells[key, default: Counts()].skipped += times
      case .deferred: break
      }
    }

    package mutating func countJoined(_ key: Key) { cells[key, default: Counts()].joined += 1 }
    package mutating func countLeft(_ key: Key) { cells[key, default: Counts()].left += 1 }
  }

  /// SQL condition: deliveries of message `m` are counted (`MessagePurpose.isCounted`).
  package static let isCounted = "m.purpose <> \(MessagePurpose.test.sql)"

  static let keyColumns = "app, at, network, lane, app_version, reason"
  static let countColumns = #"accepted, rejected, expired, cancelled, skipped, received, read, joined, "left""#
  static let sums = countColumns.split(separator: ", ").map { "sum(\($0))::bigint AS \($0)" }.joined(separator: ", ")

  /// Returns the SET list of ON CONFLICT that adds the counts of a new row to those of the row in `table`.
  static func additions(to table: String) -> String {
    countColumns.split(separator: ", ").map { "\($0) = \(table).\($0) + excluded.\($0)" }.joined(separator: ", ")
  }

  /// Returns SQL that adds a tally, with 16 parameters numbered from `offset` + 1.
  static func insertion(after offset: Int) -> String {
    func place(_ number: Int) -> String { "$\(offset + number)" }
    let columns = ([1, 2, 3, 4, 5] + Array(8...16)).map(place).joined(separator: ", ")
    return """
      INSERT INTO statistics_minutes (app, network, lane, app_version, reason, at, writer, \(countColumns))
      SELECT app, network, lane, app_version, reason, date_trunc('minute', \(place(6))), \(place(7)), a, r, e, c, s, v, d, j, l
      FROM unnest(\(columns)) AS t(app, network, lane, app_version, reason, a, r, e, c, s, v, d, j, l)
      -- In one order, for the writer of rare steps is on every node.
      ORDER BY app, network, lane, app_version COLLATE "C", reason COLLATE "C"
      ON CONFLICT (app, at, network, lane, app_version, reason, writer)
      DO UPDATE SET \(additions(to: "statistics_minutes"))
      """
  }

  private static let addStatement = Statement("statistics-add", insertion(after: 0))

  /// Adds a tally to the writer's counts of the minute of `now`. Run it in the transaction that writes the counted
  /// rows.
  package static func add(_ tally: Tally, writer: Int32, at now: Timestamp) -> Query<Void> {
    var parameters = Parameters()
    append(tally, writer: writer, at: now, to: &parameters)
    return Query(addStatement, parameters) { _ in }
  }

  static func append(_ tally: Tally, writer: Int32, at now: Timestamp, to parameters: inout Parameters) {
    var apps = Int32Column()
    var shorts = [Int16Column](repeating: Int16Column(), count: 2)
    var texts = [TextColumn](repeating: TextColumn(), count: 2)
    var counts = [Int64Column](repeating: Int64Column(), count: 9)
    for (key, cell) in tally.cells {
      apps.append(key.app)
      shorts[0].append(key.network?.rawValue ?? 0)
      shorts[1].append(key.lane?.rawValue ?? -1)
      texts[0].append(key.appVersion)
      texts[1].append(key.reason)
      for (index, value) in cell.values.enumerated() { counts[index].append(value) }
    }
    parameters.append(apps)
    for column in shorts { parameters.append(column) }
    for column in texts { parameters.append(column) }
    parameters.append(now)
    parameters.append(writer)
    for column in counts { parameters.append(column) }
  }

  /// Counts deliveries of one message that ended in the present minute; the database looks up the message's app and
  /// lane. Adds nothing for a test. Used by steps that end many deliveries at once.
  private static let addOfMessageStatement = Statement(
    "statistics-add-of-message",
    """
    INSERT INTO statistics_minutes (app, network, lane, app_version, reason, at, writer, expired, cancelled, skipped)
    SELECT m.app, 0, m.lane, '', $2, date_trunc('minute', clock_timestamp()), $3, $4, $5, $6
    FROM messages m WHERE m.seqno = $1 AND \(isCounted)
    ON CONFLICT (app, at, network, lane, app_version, reason, writer) DO UPDATE SET
      expired = statistics_minutes.expired + excluded.expired,
      cancelled = statistics_minutes.cancelled + excluded.cancelled,
      skipped = statistics_minutes.skipped + excluded.skipped
    """)

  static func add(
    of seqno: Seqno, _ deliveries: Int64, _ status: OutcomeStatus, reason: String, writer: Int32
  ) -> Query<Void> {
    Query(
      addOfMessageStatement, seqno, reason, writer, status == .expired ? deliveries : 0,
      status == .cancelled ? deliveries : 0, status == .expired || status == .cancelled ? 0 : deliveries
    ) { _ in }
  }
}
