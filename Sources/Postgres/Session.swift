internal import CLibPQ
internal import Glibc
internal import Reactor

/// One libpq connection: the only place that touches `PGconn`. Each method is one libpq call of a similar name.
///
/// Owned by a `Connection` or a `PipelinedConnection` and used on that owner's thread. Statements prepared here end
/// with it.
@safe
final class Session {
  /// libpq's handle, ours alone until `deinit`.
  private let pg: OpaquePointer
  /// Statements the server knows in this session, by name.
  private var prepared: [String: Prepared] = [:]

  /// How long an answer of a blocking call is waited for before `isSilent` is asked; nil: for ever.
  var timeout: Duration?
  /// True when the server does not answer: what is waited for will not come.
  var isSilent: () -> Bool = { true }

  private struct Prepared {
    let sql: String
    let types: [OID]
  }

  /// What connecting waits for.
  enum Progress {
    case wantsRead, wantsWrite, connected, failed
  }

  /// Starts to connect. Looks host names up at once, which may block: give numeric addresses (`hostaddr`) or a Unix
  /// socket where that matters.
  init(connectingTo target: ConnectionTarget, attempt: Int) throws(PostgresError) {
    let keywords = target.keywords(attempt: attempt)
    let names = unsafe keywords.map { unsafe strdup($0.0) }
    let values = unsafe keywords.map { unsafe strdup($0.1) }
    defer { unsafe (names + values).forEach { unsafe free($0) } }
    var nameList = unsafe names.map { unsafe UnsafePointer($0) }
    var valueList = unsafe values.map { unsafe UnsafePointer($0) }
    // The end of the lists, as libpq wants it.
    unsafe nameList.append(nil)
    unsafe valueList.append(nil)
    // Safe: libpq copies the strings before it returns.
    guard let pg = unsafe PQconnectStartParams(nameList, valueList, 0) else {
      throw .connection("out of memory while connecting to PostgreSQL")
    }
    unsafe self.pg = pg
    // Notices would go to standard error, which belongs to the log.
    unsafe PQsetNoticeReceiver(pg, { _, _ in }, nil)
    guard !isBroken else { throw connectError }
  }

  deinit {
    unsafe PQfinish(pg)
  }

  // MARK: State

  /// Changes while connecting; −1 when there is none.
  var descriptor: Int32 { unsafe PQsocket(pg) }
  var isBroken: Bool { unsafe PQstatus(pg) == CONNECTION_BAD }
  var usesTLS: Bool { unsafe PQsslInUse(pg) == 1 }
  /// The server's process for this session.
  var backendPID: Int32 { unsafe PQbackendPID(pg) }
  /// For example 150018.
  var serverVersion: Int32 { unsafe PQserverVersion(pg) }

  /// What another thread needs to cancel what runs here; nil when there is no session.
  func cancelKey() -> CancelKey? {
    unsafe PQgetCancel(pg).map { unsafe CancelKey(owning: $0) }
  }

  /// Whether a transaction is open, as of the last answer.
  var transaction: TransactionStatus {
    switch unsafe PQtransactionStatus(pg) {
    case PQTRANS_IDLE: .idle
    case PQTRANS_INTRANS: .open
    case PQTRANS_INERROR: .failed
    default: .unknown
    }
  }

  var connectError: PostgresError { .connection(lastMessage) }
  var lostError: PostgresError { .lost(lastMessage) }

  private var lastMessage: String {
    let words = unsafe String(cString: PQerrorMessage(pg)).split(whereSeparator: \.isWhitespace)
    return words.joined(separator: " ")
  }

  // MARK: Connecting

  func continueConnecting() -> Progress {
    switch unsafe PQconnectPoll(pg) {
    case PGRES_POLLING_OK: .connected
    case PGRES_POLLING_READING: .wantsRead
    case PGRES_POLLING_WRITING: .wantsWrite
    default: .failed
    }
  }

  // MARK: Prepared statements

  /// Whether the server knows `statement` already.
  func knows(_ statement: Statement, _ types: [OID]) -> Bool {
    guard let known = prepared[statement.name] else { return false }
    precondition(known.sql == statement.sql, "two statements under the name \(statement.name)")
    precondition(known.types == types, "\(statement.name) is used with parameters of other types than before")
    return true
  }

  func remember(_ statement: Statement, _ types: [OID]) {
    prepared[statement.name] = Prepared(sql: statement.sql, types: types)
  }

  /// The session was cleaned behind our back (a pooler's `DISCARD ALL`).
  func forgetPrepared(_ name: String) {
    prepared[name] = nil
  }

  // MARK: Blocking calls

  func prepare(_ statement: Statement, _ types: [OID]) throws(PostgresError) {
    if timeout != nil {
      _ = try answer(sendPrepare(statement, types), statement.name)
    } else {
      let result = unsafe PQprepare(pg, statement.name, statement.sql, Int32(types.count), types.map(\.rawValue))
      _ = try unsafe rows(owning: result, statement.name)
    }
    remember(statement, types)
  }

  func execute(_ statement: Statement, _ parameters: Parameters) throws(PostgresError) -> Rows {
    if timeout != nil { return try answer(sendExecute(statement, parameters), statement.name) }
    let result = unsafe parameters.withPointers { pointers in
      unsafe PQexecPrepared(
        pg, statement.name, pointers.count, pointers.values, pointers.lengths, pointers.formats, binaryResults)
    }
    return try unsafe rows(owning: result, statement.name)
  }

  /// Parses, plans and runs a statement, of which nothing stays.
  func executeOnce(_ statement: Statement, _ parameters: Parameters) throws(PostgresError) -> Rows {
    if timeout != nil { return try answer(sendExecuteOnce(statement, parameters), statement.name) }
    let result = unsafe parameters.withPointers { pointers in
      unsafe PQexecParams(
        pg, statement.sql, pointers.count, parameters.types.map(\.rawValue), pointers.values, pointers.lengths,
        pointers.formats, binaryResults)
    }
    return try unsafe rows(owning: result, statement.name)
  }

  /// Runs SQL text without parameters, also several statements. Results come as text: only for what returns nothing.
  @discardableResult
  func run(_ sql: String) throws(PostgresError) -> Rows {
    if timeout != nil { return try answer(unsafe PQsendQuery(pg, sql) == 1, nil) }
    return try unsafe rows(owning: PQexec(pg, sql), nil)
  }

  /// Waits for all that one call is answered, as libpq's own blocking calls do, but not for ever.
  private func answer(_ isSent: Bool, _ statement: String?) throws(PostgresError) -> Rows {
    guard isSent else { throw isBroken ? lostError : .connection(lastMessage) }
    var last: OpaquePointer?
    while true {
      do throws(PostgresError) {
        try waitForAnswer()
      } catch {
        if let last = unsafe last { unsafe PQclear(last) }
        throw error.naming(statement)
      }
      guard let result = unsafe PQgetResult(pg) else { break }
      if let former = unsafe last { unsafe PQclear(former) }
      unsafe last = result
    }
    return try unsafe rows(owning: last, statement)
  }

  /// Until the next result has come whole.
  private func waitForAnswer() throws(PostgresError) {
    let clock = SystemClock()
    let timeout = timeout ?? .seconds(1)
    var askAt = clock.now + timeout
    while unsafe PQisBusy(pg) == 1 {
      let left = askAt - clock.now
      guard left > .zero else {
        guard !isSilent() else {
          abandon()
          throw .lost("it has not answered in time")
        }
        askAt = clock.now + timeout
        continue
      }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&entry, 1, Int32(clamping: left.nanoseconds / 1_000_000 + 1)) > 0, !consumeInput() {
        throw lostError
      }
    }
  }

  /// Nothing is expected of this session any more.
  private func abandon() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    // Reads the end, so that libpq knows too.
    while !isBroken, consumeInput() {}
  }

  /// Describes a prepared statement: the types the server wants and gives.
  func describe(_ name: String) throws(PostgresError) -> Rows {
    try unsafe rows(owning: PQdescribePrepared(pg, name), name)
  }

  private func rows(owning result: OpaquePointer?, _ statement: String?) throws(PostgresError) -> Rows {
    guard let result = unsafe result else { throw isBroken ? lostError : .connection(lastMessage) }
    switch unsafe Rows.outcome(owning: result) {
    case .rows(let rows): return rows
    case .error(let error): throw (isBroken && error.sqlState == nil ? lostError : error).naming(statement)
    case .aborted, .synchronized: throw .connection("unexpected answer outside of a pipeline")
    }
  }

  // MARK: COPY

  func startCopy(_ sql: String) throws(PostgresError) {
    let result = unsafe PQexec(pg, sql)
    if let result = unsafe result, unsafe PQresultStatus(result) == PGRES_COPY_IN {
      return unsafe PQclear(result)
    }
    _ = try unsafe rows(owning: result, nil)
    throw PostgresError(origin: .refusal, message: "not a COPY … FROM STDIN statement")
  }

  func sendCopy(_ bytes: [UInt8]) throws(PostgresError) {
    let code = unsafe bytes.withUnsafeBytes { raw in
      unsafe PQputCopyData(pg, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count))
    }
    guard code == 1 else { throw lostError }
  }

  /// Ends the COPY; with a reason the server takes everything back.
  func endCopy(abandoningBecause reason: String?) throws(PostgresError) -> Rows {
    guard unsafe PQputCopyEnd(pg, reason) == 1 else { throw lostError }
    defer { while let rest = unsafe PQgetResult(pg) { unsafe PQclear(rest) } }
    return try unsafe rows(owning: PQgetResult(pg), nil)
  }

  // MARK: Without blocking

  /// Nothing below waits for the network any more.
  func enterPipeline() -> Bool {
    unsafe PQsetnonblocking(pg, 1) == 0 && PQenterPipelineMode(pg) == 1
  }

  func sendPrepare(_ statement: Statement, _ types: [OID]) -> Bool {
    unsafe PQsendPrepare(pg, statement.name, statement.sql, Int32(types.count), types.map(\.rawValue)) == 1
  }

  func sendExecute(_ statement: Statement, _ parameters: Parameters) -> Bool {
    unsafe parameters.withPointers { pointers in
      unsafe PQsendQueryPrepared(
        pg, statement.name, pointers.count, pointers.values, pointers.lengths, pointers.formats, binaryResults) == 1
    }
  }

  func sendExecuteOnce(_ statement: Statement, _ parameters: Parameters) -> Bool {
    unsafe parameters.withPointers { pointers in
      unsafe PQsendQueryParams(
        pg, statement.sql, pointers.count, parameters.types.map(\.rawValue), pointers.values, pointers.lengths,
        pointers.formats, binaryResults) == 1
    }
  }

  /// Sends SQL text without parameters, to be run once.
  func sendOnce(_ sql: String) -> Bool {
    unsafe PQsendQueryParams(pg, sql, 0, nil, nil, nil, nil, binaryResults) == 1
  }

  func sendSync() -> Bool {
    unsafe PQpipelineSync(pg) == 1
  }

  enum Flush {
    case done, pending, failed
  }

  /// Hands bytes to the kernel; `pending` when it takes no more now.
  func flush() -> Flush {
    switch unsafe PQflush(pg) {
    case 0: .done
    case 1: .pending
    default: .failed
    }
  }

  /// Reads what the kernel has. False when the connection is gone.
  func consumeInput() -> Bool {
    unsafe PQconsumeInput(pg) == 1
  }

  enum Answer {
    /// Nothing more without reading.
    case incomplete
    /// The end of one statement's answer.
    case separator
    case outcome(Rows.Outcome)
  }

  func nextAnswer() -> Answer {
    guard unsafe PQisBusy(pg) == 0 else { return .incomplete }
    guard let result = unsafe PQgetResult(pg) else { return .separator }
    return unsafe .outcome(Rows.outcome(owning: result))
  }

  /// Takes one NOTIFY that has arrived.
  func nextNotification() -> Notification? {
    guard let raw = unsafe PQnotifies(pg) else { return nil }
    defer { unsafe PQfreemem(raw) }
    return unsafe Notification(
      channel: String(cString: raw.pointee.relname), payload: String(cString: raw.pointee.extra),
      backendPID: raw.pointee.be_pid)
  }

  /// `"…"` with everything inside quoted for SQL.
  func quoted(identifier: String) -> String {
    "\"" + identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// libpq's word for binary.
  private let binaryResults: Int32 = 1
}

/// Where a session stands between two answers.
enum TransactionStatus {
  case idle, open, failed, unknown
}
