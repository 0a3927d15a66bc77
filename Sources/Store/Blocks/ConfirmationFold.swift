package import Domain
package import Postgres
internal import Time

/// Moves the confirmations of `ConfirmationLog` into blocks and totals.
///
/// A step is one transaction: it reads rows of one message's log, merges them into its blocks, counts the new
/// confirmations, and deletes exactly the rows it has read, because ids are not committed in order. A process that is
/// killed during a step therefore changes nothing, any node can continue, and readers see the same sum before and after
/// a step. Entries whose block or position does not exist are dropped, so that they do not remain in the log.
///
/// The recipients of a large message confirm in any order, so that even a small part of its log names nearly all of its
/// blocks, each of which is then rewritten. A step therefore takes as much of the log as memory permits, and merges it
/// into one portion of the blocks after the other. Meanwhile no other node folds the message: it would wait for the
/// step, and then rewrite the same blocks for the little that has come since.
/// ```
///   log, in order   ──►  entries by block  ──►  portion of blocks: read, merged, saved     ─┐
///                                               next portion …                              ├─ one transaction
///                                               totals; the rows of the log are deleted    ─┘
/// ```
package enum ConfirmationFold {
  /// Thresholds at which a message's log is folded; reaching any of them is enough.
  package struct Thresholds: Sendable {
    /// Number of log entries per block of the message, on average, that justifies rewriting the blocks' rows.
    package var entriesPerBlock: Int32 = 128
    /// Number of log entries at which a message is folded however many blocks it has, because whoever looks at its
    /// numbers reads its whole log: several million entries would take longer than a live view may.
    package var entries: Int64 = 1_000_000
    package var ageSeconds: Int32 = 600
    /// Size of the log of all messages, in bytes, above which every message is folded.
    package var logBytes: Int64 = 256 << 20
    /// Age of the oldest entry, in seconds, at which a message is folded if its app has an active webhook that
    /// subscribes to receipts or reads, because the fold writes their events.
    package var askedAgeSeconds: Int32 = 5

    package init() {}
  }

  private static let dueStatement = Statement(
    "confirmation-fold-due",
    """
    SELECT l.seqno FROM (
      -- What is in it, and not what a vacuum could not take out yet: while somebody reads for long that is much.
      SELECT seqno, sum(length(entries)) / 10 AS entries, min(logged_at) AS logged_at,
        sum(sum(length(entries))) OVER () AS bytes
      FROM confirmation_log GROUP BY seqno) l
    WHERE l.logged_at < now() - make_interval(secs => $2)
      OR l.entries >= $1 * (SELECT count(*) FROM blocks b WHERE b.seqno = l.seqno)
      OR l.entries >= $5
      OR l.bytes > $3
      OR l.logged_at < now() - make_interval(secs => $4) AND EXISTS (
        SELECT FROM messages m JOIN webhooks w ON w.app = m.app
        WHERE m.seqno = l.seqno AND w.active AND w.kinds && ARRAY['deliveries.received', 'deliveries.read'])
      -- Its blocks go in a minute: what was confirmed before counts.
      OR NOT EXISTS (SELECT FROM messages m WHERE m.seqno = l.seqno AND \(HistoryRanges.isKept))
    ORDER BY l.logged_at
    """)

  /// Returns the messages whose log has reached a threshold, or whose history is removed or about to be; those with the
  /// oldest entries first. Reads the whole log.
  package static func due(_ thresholds: Thresholds) -> Query<[Seqno]> {
    Query(
      each: dueStatement, thresholds.entriesPerBlock, thresholds.ageSeconds, thresholds.logBytes,
      thresholds.askedAgeSeconds, thresholds.entries
    ) { $0.seqno() }
  }

  // MARK: Steps

  private static let turnStatement = Statement(
    "confirmation-fold-turn", "SELECT pg_try_advisory_xact_lock(hashtextextended('upmc fold ' || $1, 0))")

  private static let takeStatement = Statement(
    "confirmation-fold-take",
    """
    SELECT id, entries FROM confirmation_log WHERE seqno = $1 AND id > $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
    """)

  private static let messageStatement = Statement(
    "confirmation-fold-message",
    """
    SELECT greatest(m.created_at, m.due_at), EXISTS (
      SELECT FROM webhooks w
      WHERE w.app = m.app AND w.active AND w.kinds && ARRAY['deliveries.received', 'deliveries.read'])
    FROM messages m WHERE m.seqno = $1
    -- Serializes with a transaction that empties the message, and with no other that changes it.
    FOR KEY SHARE OF m
    """)

  private static let readStatement = Statement(
    "confirmation-fold-read",
    """
    SELECT block, is_read, minutes, sent_at FROM block_confirmations
    WHERE seqno = $1 AND (block, is_read) IN (SELECT * FROM unnest($2, $3) AS t(block, is_read))
    """)

  private static let sizesStatement = Statement(
    "confirmation-fold-sizes", "SELECT block, devices_count FROM blocks WHERE seqno = $1 AND block = ANY($2)")

  private static let makeStatement = Statement(
    "confirmation-fold-make",
    """
    INSERT INTO block_confirmations (seqno, sent_at, block, is_read, minutes)
    SELECT $1, $5, block, is_read, minutes FROM unnest($2, $3, $4) AS t(block, is_read, minutes)
    """)

  private static let saveStatement = Statement(
    "confirmation-fold-save",
    """
    UPDATE block_confirmations f SET minutes = t.minutes FROM unnest($2, $3, $4) AS t(block, is_read, minutes)
    WHERE f.seqno = $1 AND f.block = t.block AND f.is_read = t.is_read
    """)

  private static let deleteStatement = Statement(
    "confirmation-fold-delete", "DELETE FROM confirmation_log WHERE seqno = $1 AND id = ANY($2)")

  /// Maximum number of log rows that are read at once.
  private static let rowsAtOnce = 2_000
  /// Number of entries after which a step takes no further rows: 128 for each of 31,000 blocks, in 32 MB.
  package static let mostEntries = 4_000_000
  /// Number of low bits of a block's number that do not matter for its portion. A portion has the blocks of 16 shards,
  /// of 800,000 devices.
  private static let portionBits: Int32 = 18

  /// Folds the next rows of a message's log, within a transaction: merges them into the blocks, adds new confirmations
  /// to the totals and statistics, writes their events if a webhook subscribes to receipts or reads, and deletes the
  /// rows. Skips rows that another transaction has locked.
  /// - Parameters:
  ///   - id: id of the last row folded before; 0 for none.
  ///   - limit: maximum number of rows.
  ///   - mostEntries: number of entries after which no further rows are read.
  ///   - writer: number under which this thread adds to totals.
  /// - Returns: the number of rows deleted, including rows that only repeat confirmations, and the id after which the
  ///   next step continues, nil if this one has taken all rows; nil if there are no unlocked rows after `id`, or if
  ///   another node is folding the message.
  package static func step(
    of seqno: Seqno, after id: Int64, atMost limit: Int, entries mostEntries: Int = ConfirmationFold.mostEntries,
    writer: Int32, on connection: Connection
  ) throws(PostgresError) -> (rows: Int, next: Int64?)? {
    guard try connection.run(turnStatement, Parameters(seqno)).decodeOne({ $0.bool() }) else { return nil }
    // Before the log, in the order in which whoever empties the message locks both.
    let message = try connection.run(messageStatement, Parameters(seqno))
    var log = Log(mostEntries: mostEntries)
    var count = log.next(atMost: limit)
    while count > 0 {
      log.add(try connection.run(takeStatement, Parameters(seqno, log.last ?? id, count)), of: count)
      count = log.next(atMost: limit)
    }
    guard log.ids.count > 0 else { return nil }
    // If the message or a block was removed by retention, its confirmations are dropped.
    if let (sentAt, isTold) = message.decodeFirst({ ($0.timestamp(), $0.bool()) }) {
      var (received, read): (Int64, Int64) = (0, 0)
      for halves in log.portions {
        let new = try unite(log, halves, of: seqno, sentAt: sentAt, on: connection)
        let reads = Int64(new.count { $0.half.isRead })
        (received, read) = (received + Int64(new.count) - reads, read + reads)
        if isTold, !new.isEmpty { try tell(new, of: seqno, sentAt: sentAt, on: connection) }
      }
      if received + read > 0 {
        try connection.run(Confirmations.count(of: seqno, received: received, read: read, writer))
      }
    }
    _ = try connection.run(deleteStatement, Parameters(seqno, log.ids))
    return (log.ids.count, log.isWhole ? nil : log.last)
  }

  /// Rows of a message's log, with their entries by block.
  private struct Log {
    struct Entry {
      let position: UInt16
      let at: UInt32
    }

    private(set) var ids = Int64Column()
    private(set) var last: Int64?
    /// In the order of the log.
    private(set) var entries: [ConfirmationLog.BlockHalf: [Entry]] = [:]
    private var entryCount = 0
    private let mostEntries: Int
    /// True if no row is left.
    private(set) var isWhole = false

    init(mostEntries: Int) {
      self.mostEntries = mostEntries
    }

    /// The blocks in ascending order, divided into portions.
    var portions: [[ConfirmationLog.BlockHalf]] {
      let portions = Dictionary(grouping: entries.keys) { $0.number >> ConfirmationFold.portionBits }
      return portions.sorted { $0.key < $1.key }.map { $0.value.sorted() }
    }

    /// Returns the number of rows to read next; 0 if there are enough, or no more.
    func next(atMost limit: Int) -> Int {
      isWhole || entryCount >= mostEntries ? 0 : min(limit - ids.count, ConfirmationFold.rowsAtOnce)
    }

    /// Adds the rows found when `count` rows were asked for.
    mutating func add(_ rows: Rows, of count: Int) {
      isWhole = rows.count < count
      for (id, bytes) in rows.decode({ ($0.int64(), $0.bytes()) }) {
        ids.append(id)
        last = id
        entryCount += bytes.count / ConfirmationLog.entryBytes
        ConfirmationLog.unpack(bytes) { half, position, at in
          entries[half, default: []].append(Entry(position: UInt16(position), at: at))
        }
      }
    }
  }

  /// A delivery that was confirmed for the first time.
  private struct New {
    let half: ConfirmationLog.BlockHalf
    let position: Int
    /// Time of the confirmation in seconds since 1970, as the device reported it, but not later than when the report
    /// arrived; the time of arrival if the device reported none.
    let at: UInt32
  }

  /// Merges the log's entries for some of a message's blocks into these. Entries of blocks or positions that do not
  /// exist are ignored.
  /// - Parameter halves: in ascending order.
  /// - Returns: the confirmations that are new.
  private static func unite(
    _ log: Log, _ halves: [ConfirmationLog.BlockHalf], of seqno: Seqno, sentAt: Timestamp, on connection: Connection
  ) throws(PostgresError) -> [New] {
    var blocks = try folded(halves, of: seqno, on: connection)
    let present = Set(blocks.keys)
    for (half, devices) in try connection.run(sizes(of: halves.filter { !present.contains($0) }, of: seqno)) {
      blocks[half] = ConfirmedMinutes(devices: devices, sentAt: sentAt)
    }
    var new: [New] = []
    for half in halves {
      for entry in log.entries[half] ?? [] {
        let position = Int(entry.position)
        if blocks[half]?.note(position, at: entry.at) == true {
          new.append(New(half: half, position: position, at: entry.at))
        }
      }
    }
    let halvesChanged = Set(new.map(\.half))
    let changed = blocks.filter { halvesChanged.contains($0.key) }
    let missing = changed.filter { !present.contains($0.key) }
    if !missing.isEmpty {
      var made = parameters(missing, of: seqno)
      made.append(sentAt)
      _ = try connection.run(makeStatement, made)
    }
    let saved = changed.filter { present.contains($0.key) }
    if !saved.isEmpty { _ = try connection.run(saveStatement, parameters(saved, of: seqno)) }
    return new
  }

  /// Writes the events of new confirmations, for webhooks that subscribe to receipts or reads. Confirmations whose
  /// block was removed are omitted.
  private static func tell(
    _ new: [New], of seqno: Seqno, sentAt: Timestamp, on connection: Connection
  ) throws(PostgresError) {
    let numbers = Set(new.map(\.half.number))
    let blocks = try connection.run(Blocks.read(numbers.map { BlockID(seqno: seqno, number: $0) }))
    let recipients = Dictionary(uniqueKeysWithValues: blocks.map { ($0.block.number, $0.recipients) })
    for (kind, isRead) in [(EventKind.deliveriesReceived, false), (.deliveriesRead, true)] {
      let told = new.filter { $0.half.isRead == isRead }.compactMap { one in
        recipients[one.half.number].map { block in
          RecipientEvents.Recipient(
            device: block.device(one.position), userKey: block.userKey(one.position),
            at: max(sentAt, Timestamp(seconds: Int64(one.at))))
        }
      }
      try RecipientEvents.add(kind, of: seqno, told, on: connection)
    }
  }

  private static func folded(
    _ halves: [ConfirmationLog.BlockHalf], of seqno: Seqno, on connection: Connection
  ) throws(PostgresError) -> [ConfirmationLog.BlockHalf: ConfirmedMinutes] {
    let rows = try connection.run(readStatement, parameters(halves, of: seqno))
    var found: [ConfirmationLog.BlockHalf: ConfirmedMinutes] = [:]
    rows.forEach { row in
      found[ConfirmationLog.BlockHalf(number: row.int32(), isRead: row.bool())] = ConfirmedMinutes(
        bytes: row.bytes(), sentAt: row.timestamp())
    }
    return found
  }

  /// Returns the number of devices in the block of each half; omits halves whose block does not exist.
  private static func sizes(
    of halves: [ConfirmationLog.BlockHalf], of seqno: Seqno
  ) -> Query<[ConfirmationLog.BlockHalf: Int]> {
    var blocks = Int32Column()
    for number in Set(halves.map(\.number)) { blocks.append(number) }
    return Query(sizesStatement, seqno, blocks) { rows in
      var sizes: [Int32: Int] = [:]
      rows.forEach { row in sizes[row.int32()] = Int(row.int16()) }
      var found: [ConfirmationLog.BlockHalf: Int] = [:]
      for half in halves { found[half] = sizes[half.number] }
      return found
    }
  }

  private static func parameters(_ halves: [ConfirmationLog.BlockHalf], of seqno: Seqno) -> Parameters {
    var (blocks, reads) = (Int32Column(), BoolColumn())
    for half in halves {
      blocks.append(half.number)
      reads.append(half.isRead)
    }
    return Parameters(seqno, blocks, reads)
  }

  private static func parameters(
    _ minutes: [ConfirmationLog.BlockHalf: ConfirmedMinutes], of seqno: Seqno
  ) -> Parameters {
    let halves = minutes.keys.sorted()
    var bytes = BytesColumn()
    for half in halves { bytes.append(minutes[half]?.bytes) }
    var parameters = parameters(halves, of: seqno)
    parameters.append(bytes)
    return parameters
  }
}
