internal import Domain
internal import Postgres

/// Removes erased persons from blocks, as part of the scan that `Erasures` describes.
///
/// A block covers a range of user keys, so the blocks that may contain a person are found by key. Each message is
/// searched for the keys of all persons being erased, and a block is rewritten only once for all of them.
enum BlockErasure {
  /// Maximum number of messages with blocks that are searched in one step.
  private static let messages = 50

  private static let nextStatement = Statement(
    "block-erasure-next",
    "SELECT DISTINCT seqno FROM blocks WHERE seqno >= $1 AND seqno <= $2 ORDER BY seqno LIMIT $3")

  /// Returns the first 50 messages with blocks in a range of SEQNOs (both ends inclusive), in ascending order; fewer if
  /// the range has fewer. `rest` is the message after these, at which the next step starts; nil if there are no more.
  static func next(
    from start: Seqno, upto end: Seqno, on connection: Connection
  ) throws(PostgresError) -> (messages: [Seqno], rest: Seqno?) {
    let rows = try connection.run(nextStatement, Parameters(start, end, messages + 1))
    let found = rows.decode { $0.seqno() }
    return (Array(found.prefix(messages)), found.count > messages ? found[messages] : nil)
  }

  private static let hitsStatement = Statement(
    "block-erasure-hits",
    """
    SELECT m.seqno, b.block, b.place, b.state, b.device, e.app, e.user_key
    FROM messages m JOIN erasures e ON e.app = m.app AND e.lap IS NOT NULL AND m.seqno <= e.upto_seqno
    CROSS JOIN LATERAL block_entries_of(m.seqno, e.user_key) b
    WHERE m.seqno = ANY($1)
    """)

  private static let addRestsStatement = Statement(
    "block-erasure-add-rests",
    """
    INSERT INTO erasure_rests (seqno, device, app, user_key)
    SELECT * FROM unnest($1, $2, $3, $4) AS t(seqno, device, app, user_key) ORDER BY seqno, device ON CONFLICT DO NOTHING
    """)

  /// Removes the keys of all persons who have joined the scan from the blocks of these messages. A delivery in state
  /// `open` or `waits` keeps its key, which determines whose badge count it changes; it is added to `erasure_rests`,
  /// and `takeOutRests` removes its key later.
  static func takeOut(of messages: [Seqno], on connection: Connection) throws(PostgresError) {
    guard !messages.isEmpty else { return }
    var seqnos = Int64Column()
    for message in messages { seqnos.append(message) }
    let hits = try connection.run(hitsStatement, Parameters(seqnos))
    var ended: [BlockID: Set<Int>] = [:]
    var (openMessages, devices, apps, users) = (Int64Column(), UUIDColumn(), Int32Column(), TextColumn())
    hits.forEach { row in
      let (block, position, state) = (row.block(), Int(row.int32()), BlockState(rawValue: UInt8(row.int32())))
      let (device, app, user) = (row.device(), row.int32(), row.text())
      guard state == .open || state == .waits else {
        ended[block, default: []].insert(position)
        return
      }
      openMessages.append(block.seqno)
      devices.append(device)
      apps.append(app)
      users.append(user)
    }
    if devices.count > 0 {
      var rests = Parameters()
      rests.append(openMessages)
      rests.append(devices)
      rests.append(apps)
      rests.append(users)
      _ = try connection.run(addRestsStatement, rests)
    }
    try erase(ended, on: connection)
  }

  private static let restsStatement = Statement(
    "block-erasure-rests",
    """
    WITH part AS MATERIALIZED (
      \(Erasures.dueRests))
    , found AS MATERIALIZED (
      SELECT p.seqno, b.block, b.place, b.state, p.device FROM part p
      CROSS JOIN LATERAL block_entries_of(p.seqno, p.user_key) b WHERE b.device = p.device)
    , waiting AS (
      UPDATE erasure_rests r SET looked_at = clock_timestamp() FROM found f
      WHERE f.state IN (0, 11) AND r.seqno = f.seqno AND r.device = f.device)
    SELECT seqno, block, place FROM found WHERE state NOT IN (0, 11)
    """)

  /// Examines at most `limit` deliveries of `erasure_rests` that were not examined within the last minute, and removes
  /// the keys of those in blocks whose state is no longer `open` or `waits`. The others in blocks are examined again
  /// later.
  static func takeOutRests(atMost limit: Int, on connection: Connection) throws(PostgresError) {
    let rows = try connection.run(restsStatement, Parameters(limit))
    var ended: [BlockID: Set<Int>] = [:]
    rows.forEach { row in
      let block = row.block()
      ended[block, default: []].insert(Int(row.int32()))
    }
    try erase(ended, on: connection)
  }

  // MARK: Writing

  private static let lockStatement = Statement(
    "block-erasure-lock",
    "SELECT devices, user_keys, first_key FROM blocks WHERE seqno = $1 AND block = $2 FOR UPDATE")

  private static let writeStatement = Statement(
    "block-erasure-write", "UPDATE blocks SET user_keys = $3, first_key = $4 WHERE seqno = $1 AND block = $2")

  private static func erase(_ places: [BlockID: Set<Int>], on connection: Connection) throws(PostgresError) {
    for (block, positions) in places.sorted(by: { $0.key < $1.key }) {
      var parameters = Parameters()
      parameters.append(block.seqno)
      parameters.append(block.number)
      let rows = try connection.run(lockStatement, parameters)
      let block = rows.decodeFirst {
        (BlockRecipients(devices: $0.bytes(), userKeys: $0.bytes()), $0.optionalText())
      }
      guard var (recipients, firstKey) = block else { continue }
      let isFirstErased = positions.contains { recipients.userKey($0).text == firstKey }
      recipients.erase(positions)
      // The first key is an index of the block and identifies a person too, so it changes as well.
      if isFirstErased { firstKey = recipients.firstNamedKey?.text }
      parameters.append(recipients.userKeys)
      parameters.append(firstKey)
      _ = try connection.run(writeStatement, parameters)
    }
  }
}
