import Domain
import Postgres

/// The audit once everything is at rest: compares the database with what the network received and the driver was
/// answered. On the driver's thread.
struct Verifier {
  private let driver: Driver
  private let connection: Connection
  private var numberOf: [DeviceID: Int] = [:]

  init(_ driver: Driver, databaseURL: String) throws {
    self.driver = driver
    connection = try Connection(databaseURL)
    for device in driver.cast.devices { numberOf[device.id] = device.number }
  }

  func run() throws -> Totals {
    var totals = Totals()
    try checkMessages()
    for message in driver.messages { try check(message, &totals) }
    try checkLedger()
    try checkSolos()
    try checkTokens()
    try checkRest()
    try checkTimes()
    try ShortMessages(verdict: driver.verdict, connection: connection).check()
    checkRollCall()
    return totals
  }

  private func violate(_ invariant: String, _ evidence: String) {
    driver.verdict.violate(invariant, evidence)
  }

  private func count(_ sql: String) throws -> Int64 {
    try connection.run(Statement("torture-\(sql.hashValue)", "SELECT (\(sql))::bigint")).int64(0, 0)
  }

  // MARK: Clocks

  /// No decision and no stored time comes from a wrong clock.
  private func checkTimes() throws {
    for (what, sql) in [
      (
        "deliveries ended before their message's time was over",
        """
        SELECT count(*) FROM outcomes o JOIN messages m USING (seqno)
        WHERE o.status = 3 AND o.reason = 'expired' AND o.at < m.expires_at - interval '1 second'
        """
      ),
      ("leases last beyond their time", "SELECT count(*) FROM nodes WHERE alive_until > now() + interval '15 seconds'"),
      ("devices were bound in the future", "SELECT count(*) FROM devices WHERE bound_at > now()"),
      ("outcomes were written in the future", "SELECT count(*) FROM deliveries WHERE at > now()"),
      ("statistics are made up to the future", "SELECT count(*) FROM statistics_progress WHERE hours_upto > now()"),
      ("provider tokens are of the future", "SELECT count(*) FROM apns_tokens WHERE issued_at > now()"),
    ] {
      let broken = try count(sql)
      if broken > 0 { violate("clock", "\(broken) \(what)") }
    }
  }

  // MARK: I1

  private func checkMessages() throws {
    let stored = try count("SELECT count(*) FROM messages")
    let answered = driver.messages.count(where: \.isAnswered)
    if Int(stored) != answered { violate("I1", "\(answered) messages were answered, \(stored) are stored") }
    let keys = try count("SELECT count(DISTINCT idempotency_key) FROM messages")
    if keys != stored { violate("I1", "\(stored) messages have \(keys) idempotency keys") }
  }

  // MARK: I2, I3, I4 of each message

  private func check(_ message: Message, _ totals: inout Totals) throws {
    guard let seqno = message.seqno, let tally = message.tally else { return }
    var parameters = Parameters()
    parameters.append(seqno)
    let rows = try connection.run(
      Statement(
        "torture-outcomes",
        """
        SELECT o.device, o.status, o.attempts, coalesce(o.reason, ''), r.device IS NOT NULL, d.device IS NOT NULL
        FROM deliveries o LEFT JOIN receipts r USING (seqno, device) LEFT JOIN reads d USING (seqno, device)
        WHERE o.seqno = $1
        """), parameters)
    var decided: Set<Int> = []
    var excess = 0
    var deniedArrivals: [String] = []
    for row in 0..<rows.count {
      let id = rows.uuid(row, 0)
      guard let number = numberOf[DeviceID(high: id.high, low: id.low)] else {
        violate("I3", "message \(seqno) has an outcome for device \(id), which nobody registered")
        continue
      }
      decided.insert(number)
      let cell = cell(message, number)
      let status = rows.int16(row, 1)
      if status == OutcomeStatus.accepted.rawValue, cell.received == 0 {
        violate("I3", "message \(seqno), device \(number): accepted, but the network never received it")
      }
      if status == OutcomeStatus.cancelled.rawValue, cell.received > 0 {
        violate("S5", "message \(seqno), device \(number): cancelled, but the network had received it")
      }
      if status != OutcomeStatus.accepted.rawValue, cell.received > 0 {
        deniedArrivals.append(
          "device \(number): status \(status) \(rows.text(row, 3)) after \(rows.int16(row, 2)) tries")
      }
      excess += max(0, Int(cell.received) - 1)
      checkConfirmed(cell, rows, row, seqno, number)
    }
    let strangers = Set(message.cells.keys).subtracting(decided).filter { !sharesToken($0) }
    if !strangers.isEmpty {
      violate("I3", "message \(seqno) reached devices without an outcome: \(strangers.sorted().prefix(10))")
    }
    if deniedArrivals.count > tally.unknown {
      violate(
        "I3",
        """
        message \(seqno): \(deniedArrivals.count) deliveries arrived that ended negative, but only \(tally.unknown) were \
        unknown: \(deniedArrivals.prefix(5).joined(separator: "; "))
        """)
    }
    if excess > tally.resent {
      let repeats = message.repeats.map { entry in
        let first = driver.verdict.seconds(ofMicroseconds: entry.first)
        return "device \(entry.device) at \(first) s and \(driver.verdict.seconds(ofMicroseconds: entry.second)) s"
      }
      violate(
        "I3",
        """
        message \(seqno) (\(message.kind), asked for at \(driver.verdict.seconds(ofMicroseconds: message.askedAt)) s) \
        arrived \(excess) times too often, but only \(tally.resent) were counted as resent (unknown \(tally.unknown)): \
        \(repeats.joined(separator: ", "))
        """)
    }
    if message.wasTakenBack, tally.accepted > 0 {
      violate("I5", "message \(seqno) was accepted, but a payload carried the count without it: \(tally.text)")
    }
    // Deliveries cancelled before they were claimed have no row.
    if !((tally.targeted ?? 0) - tally.cancelled...(tally.targeted ?? 0)).contains(rows.count) {
      violate("I2", "message \(seqno) targeted \(tally.targeted ?? -1) and has \(rows.count) outcomes: \(tally.text)")
    }
    totals.add(tally)
  }

  private func checkConfirmed(_ cell: Message.Cell, _ rows: Rows, _ row: Int, _ seqno: Seqno, _ number: Int) {
    if cell.isReceiptAnswered, !rows.bool(row, 4) {
      violate("I4", "message \(seqno), device \(number): the receipt was answered and is not there")
    }
    if cell.isReadAnswered, !rows.bool(row, 5) {
      violate("I4", "message \(seqno), device \(number): the read was answered and is not there")
    }
    if rows.bool(row, 5), !rows.bool(row, 4) {
      violate("I4", "message \(seqno), device \(number): a read without a receipt")
    }
  }

  /// What the network received of a delivery; a shared token counts for whichever of the two devices it was sent to.
  private func cell(_ message: Message, _ number: Int) -> Message.Cell {
    if let owners = driver.sharedTokens.owners(of: number) { return message.cells[owners[0]] ?? Message.Cell() }
    return message.cells[number] ?? Message.Cell()
  }

  private func sharesToken(_ number: Int) -> Bool { driver.cast.devices[number].role == .sharedToken }

  // MARK: I5

  /// Checks a ledger user's count: badge messages really sent, less those read. A message that ended negative does not
  /// count, read or not (it may have arrived all the same).
  private func checkLedger() throws {
    let rows = try connection.run(
      Statement(
        "torture-ledger",
        """
        WITH sent AS MATERIALIZED (
          SELECT user_key, seqno FROM deliveries JOIN messages USING (seqno)
          WHERE user_key LIKE 'uledger%' AND (request->'badge') IS NOT NULL
          GROUP BY user_key, seqno HAVING bool_or(status = 1)),
        lists AS MATERIALIZED (SELECT user_key, array_agg(seqno)::text AS list FROM sent GROUP BY user_key)
        SELECT u.user_key, u.badge, l.list FROM users u LEFT JOIN lists l USING (user_key)
        WHERE u.user_key LIKE 'uledger%'
        """))
    if rows.count == 0 { violate("I5", "no user of the ledger is stored") }
    let readers = readersOfBadges()
    for row in 0..<rows.count {
      let user = String(rows.text(row, 0).dropFirst())
      let list = rows.isNull(row, 2) ? "" : rows.text(row, 2)
      let sent = list.split { !$0.isNumber }.compactMap { Seqno(String($0)) }
      let unread = sent.filter { readers[$0]?.contains(user) != true }
      let badge = Int(rows.int16(row, 1))
      if badge != min(1000, unread.count) {
        violate(
          "I5", "user \(user) has badge \(badge), but \(unread.count) unread messages: \(unread.sorted().prefix(20))")
      }
    }
  }

  /// By SEQNO, the users whose reads were acknowledged.
  private func readersOfBadges() -> [Seqno: Set<String>] {
    var readers: [Seqno: Set<String>] = [:]
    for message in driver.messages where message.kind == .badges {
      guard let seqno = message.seqno else { continue }
      for (number, cell) in message.cells where cell.isReadAnswered {
        if let user = driver.cast.devices[number].user { readers[seqno, default: []].insert(user) }
      }
    }
    return readers
  }

  private func checkSolos() throws {
    for (user, expected) in driver.solos.counts {
      var parameters = Parameters()
      parameters.append("u" + user)
      let rows = try connection.run(
        Statement("torture-solo", "SELECT badge FROM users WHERE user_key = $1"), parameters)
      guard rows.count == 1, Int(rows.int16(0, 0)) == expected else {
        violate(
          "I5", "user \(user) is stored with \(rows.count == 1 ? "\(rows.int16(0, 0))" : "nothing"), not \(expected)")
        continue
      }
    }
  }

  // MARK: I6

  private func checkTokens() throws {
    let lost = try connection.run(
      Statement("torture-tokens", "SELECT device_id, state FROM devices WHERE state <> 1"))
    let sharedTokens = Set(driver.sharedTokens.present)
    for row in 0..<lost.count {
      let name = lost.text(row, 0)
      guard let device = driver.cast.devices.first(where: { $0.installation == name }) else { continue }
      if device.role == .sharedToken, !sharedTokens.contains(device.number) { continue }
      violate("I6", "device \(device.number) (\(device.role)) is in state \(lost.int16(row, 1)) though it registered")
    }
  }

  // MARK: I7

  private func checkRest() throws {
    for (what, sql) in [
      ("claims", "SELECT count(*) FROM claims"),
      ("deferred deliveries", "SELECT count(*) FROM outcomes WHERE status = 6"),
      ("waiting blocks", "SELECT count(*) FROM waits"),
      ("open shards", "SELECT count(*) FROM shards WHERE NOT exhausted"),
      ("open messages", "SELECT count(*) FROM messages WHERE state < 4"),
    ] {
      let left = try count(sql)
      if left > 0 { violate("I7", "\(left) \(what) are left though everything is final") }
    }
  }

  // MARK: The roll call

  private func checkRollCall() {
    guard let call = driver.messages.last(where: { $0.kind == .rollCall }) else {
      return violate("I7", "the roll was not called")
    }
    let sharedTokens = Set(driver.sharedTokens.tokenNumbers)
    var wrong: [String] = []
    for device in driver.cast.devices where device.isRegistered {
      if device.role == .sharedToken, !sharedTokens.contains(device.number) { continue }
      let count = Int(call.cells[device.number]?.received ?? 0)
      if count != 1 { wrong.append("\(device.number) (\(device.role)) \(count) times") }
    }
    if !wrong.isEmpty {
      violate(
        "I3",
        """
        the roll call did not reach every device once: \(wrong.count) devices, \
        \(wrong.prefix(10).joined(separator: ", ")): \(call.tally?.text ?? "")
        """)
    }
  }

  /// Totals over all messages.
  struct Totals: Sendable {
    var targeted = 0
    var accepted = 0
    var rejected = 0
    var expired = 0
    var cancelled = 0
    var skipped = 0
    var unknown = 0
    var resent = 0

    mutating func add(_ tally: Tally) {
      targeted += tally.targeted ?? 0
      accepted += tally.accepted
      rejected += tally.rejected
      expired += tally.expired
      cancelled += tally.cancelled
      skipped += tally.skipped
      unknown += tally.unknown
      resent += tally.resent
    }
  }
}
