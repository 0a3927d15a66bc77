package import Domain
package import Postgres
package import Time

/// Lists the deliveries of a message page by page: first those with rows of their own, in device order, then those
/// whose outcome or deferral is recorded only in a block, by block and position.
package enum DeliveryPages {
  package struct Delivery: Sendable {
    package let place: Place
    package let device: DeviceID
    package let userKey: UserKey
    package let status: OutcomeStatus
    package let reason: String?
    package let attempts: Int16
    package let at: Timestamp
    package let receivedAt: Timestamp?
    package let readAt: Timestamp?
  }

  /// Position of a delivery in the list: the device of a row, or the number of a block and the position in that block,
  /// counted from 0.
  package enum Place: Equatable, Sendable {
    case row(DeviceID)
    case block(Int32, position: Int32)

    package static let start = Place.row(.lowest)

    /// Parses a string that `cursor` has returned. Returns nil if it is invalid.
    package init?(cursor: String) {
      if let device = DeviceID(cursor) {
        self = .row(device)
        return
      }
      let numbers = cursor.split(separator: ":", omittingEmptySubsequences: false)
      guard numbers.count == 2, let block = Int32(numbers[0]), let position = Int32(numbers[1]), block >= 0,
        position >= 0
      else { return nil }
      self = .block(block, position: position)
    }

    package var cursor: String {
      switch self {
      case .row(let device): device.description
      case .block(let block, let position): "\(block):\(position)"
      }
    }
  }

  /// Statuses of failed deliveries (`OutcomeStatus.isFailure`), as SQL: rejected, expired and skipped.
  static let failures =
    "\(OutcomeStatus.rejected.sql), \(OutcomeStatus.expired.sql), \(OutcomeStatus.skipped.sql)"

  /// Returns at most `limit` deliveries after `place` (exclusive) that have ended or are deferred. Omits deliveries in
  /// progress at their first try; later tries are listed as deferred.
  /// - Parameter status: only deliveries with this status; nil for all.
  package static func next(
    of seqno: Seqno, after place: Place, status: OutcomeStatus? = nil, limit: Int, on connection: Connection
  ) throws(PostgresError) -> [Delivery] {
    var found: [Delivery] = []
    if case .row(let device) = place {
      found = try connection.run(rows(of: seqno, after: device, status: status, limit: limit))
    }
    let states = BlockState.allCases.filter { state in
      guard let found = state == .waits ? .deferred : state.outcome?.status else { return false }
      return status == nil || status == found
    }
    return found + (try inBlocks(of: seqno, after: place, states, limit: limit - found.count, connection))
  }

  /// Returns at most `limit` deliveries after `place` (exclusive) that were rejected, expired or skipped. Searches
  /// at most `window` rows, but all blocks.
  /// - Parameter reason: only deliveries with this reason; nil for all.
  /// - Returns: the deliveries; and in `rest` where to continue if the window has ended before `limit` deliveries were
  ///   found. Otherwise `rest` is nil: with `limit` deliveries, the list continues after the last one's place; with
  ///   fewer, it is complete.
  package static func failures(
    of seqno: Seqno, after place: Place, reason: String?, window: Int, limit: Int, on connection: Connection
  ) throws(PostgresError) -> (found: [Delivery], rest: Place?) {
    var found: [Delivery] = []
    if case .row(let device) = place {
      found = try connection.run(
        MessageLists.failures(of: seqno, after: device, reason: reason, window: window, limit: limit))
      if found.count < limit,
        let edge = try connection.run(MessageLists.failuresEdge(of: seqno, after: device, window: window))
      {
        return (found, .row(edge))
      }
    }
    let states = BlockState.allCases.filter { state in
      guard let outcome = state.outcome, outcome.status.isFailure else { return false }
      return reason == nil || outcome.reason == reason
    }
    return (found + (try inBlocks(of: seqno, after: place, states, limit: limit - found.count, connection)), nil)
  }

  // MARK: Rows

  private static let rowsStatement = Statement(
    "delivery-pages-rows",
    """
    SELECT o.device, o.user_key, o.status, o.reason, abs(o.attempts), o.at,
      delivery_confirmed(o.seqno, o.device, o.user_key, false), delivery_confirmed(o.seqno, o.device, o.user_key, true)
    FROM outcomes o
    WHERE o.seqno = $1 AND o.device > $2 AND ($4 IS NULL OR o.status = $4) ORDER BY o.device LIMIT $3
    """)

  private static func rows(
    of seqno: Seqno, after device: DeviceID, status: OutcomeStatus?, limit: Int
  ) -> Query<[Delivery]> {
    Query(each: rowsStatement, seqno, device, limit, status?.rawValue) { row in
      let device = row.device()
      return Delivery(
        place: .row(device), device: device, userKey: row.userKey(),
        status: OutcomeStatus(rawValue: row.int16()) ?? .deferred, reason: row.optionalText(), attempts: row.int16(),
        at: row.timestamp(), receivedAt: row.optionalTimestamp(), readAt: row.optionalTimestamp())
    }
  }

  // MARK: Blocks

  private static func inBlocks(
    of seqno: Seqno, after place: Place, _ states: [BlockState], limit: Int, _ connection: Connection
  ) throws(PostgresError) -> [Delivery] {
    var (block, position): (Int32, Int32) = (0, 0)
    if case .block(let number, let last) = place { (block, position) = (number, last + 1) }
    var found: [Delivery] = []
    while !states.isEmpty, found.count < limit,
      let next = try connection.run(nextBlock(of: seqno, from: block, with: states))
    {
      let start = next.block.number == block ? Int(position) : 0
      found += try deliveries(in: next, states, from: start, limit: limit - found.count, connection)
      (block, position) = (next.block.number + 1, 0)
    }
    return found
  }

  private static let nextBlockStatement = Statement(
    "delivery-pages-next-block",
    """
    SELECT \(Blocks.contentColumns) FROM block_states s JOIN blocks b ON b.seqno = s.seqno AND b.block = s.block
    WHERE s.seqno = $1 AND s.block >= $2
      AND EXISTS (SELECT FROM unnest($3::bytea[]) AS t(code) WHERE position(code IN s.states) > 0)
    ORDER BY s.block LIMIT 1
    """)

  /// Returns the first block with a number of at least `block` that contains one of these states; nil if there is none.
  private static func nextBlock(
    of seqno: Seqno, from block: Int32, with states: [BlockState]
  ) -> Query<Blocks.Contents?> {
    var codes = BytesColumn()
    for state in states { codes.append([state.rawValue]) }
    return Query(first: nextBlockStatement, seqno, block, codes, read: Blocks.contents)
  }

  private static let confirmedStatement = Statement(
    "delivery-pages-confirmed",
    """
    SELECT place, r.at, d.at FROM block_confirmed($1, $2, NULL, false) r
    FULL JOIN block_confirmed($1, $2, NULL, true) d USING (place)
    """)

  private typealias Times = (received: Timestamp?, read: Timestamp?)

  /// Returns when the delivery at each position of a block was received and read, to the minute; nil for what is not
  /// confirmed. Positions without any confirmation are omitted.
  private static func confirmed(_ block: BlockID) -> Query<[Int: Times]> {
    Query(confirmedStatement, block.seqno, block.number) {
      $0.dictionary { row in
        (Int(row.int32()), (row.optionalTimestamp(), row.optionalTimestamp()))
      }
    }
  }

  private static func deliveries(
    in contents: Blocks.Contents, _ wanted: [BlockState], from start: Int, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> [Delivery] {
    let (block, recipients, states) = (contents.block, contents.recipients, contents.states)
    guard start < recipients.count else { return [] }
    let waits = wanted.contains(.waits) ? try connection.run(Waits.of(block)) : [:]
    // If a deferred delivery has no entry in `waits`, it was claimed between the two queries and is in progress again.
    let present = (start..<recipients.count).lazy.filter { position in
      wanted.contains(states[position]) && (states[position] != .waits || waits[position] != nil)
    }
    let positions = Array(present.prefix(limit))
    let times = try connection.run(confirmed(block))
    return positions.compactMap { position in
      let state = states[position]
      let wait = state == .waits ? waits[position] : nil
      guard let outcome = wait.map({ (.deferred, 0, $0.reason) }) ?? state.outcome else { return nil }
      return Delivery(
        place: .block(block.number, position: Int32(position)), device: recipients.device(position),
        userKey: recipients.userKey(position),
        status: outcome.status, reason: outcome.reason, attempts: outcome.attempts,
        at: wait?.at ?? states.endedAt(state) ?? .zero,
        receivedAt: times[position]?.received, readAt: times[position]?.read)
    }
  }
}
