internal import CLibPQ
internal import Glibc
internal import Reactor

/// One libpq connection: the only code that touches `PGconn`. Each method is one libpq call of a similar name.
///
/// Owned by a `Connection` or a `PipelinedConnection` and used on that owner's thread. Prepared statements end with the
/// session.
@safe
final class Session {
  /// libpq's handle, owned by this object until `deinit`.
  private let pg: OpaquePointer
  /// Statements prepared in this session, by name.
  private var prepared: [String: Prepared] = [:]

  /// How long a blocking call waits for an answer before it asks `isSilent`; nil: for ever.
  var timeout: Duration?
  /// Returns true if the server does not answer at all, so that waiting is pointless.
  var isSilent: () -> Bool = { true }

  private struct Prepared {
    let sql: String
    let types: [OID]
  }

  /// What connecting waits for.
  enum Progress {
    case wantsRead, wantsWrite, connected, failed
  }

  /// Starts to connect. Resolves host names at once, which may block: pass numeric addresses (`hostaddr`) or a Unix
  /// socket where that matters.
  init(connectingTo target: ConnectionTarget, attempt: Int) throws(PostgresError) {
    let keywords = target.keywords(attempt: attempt)
    let names = unsafe keywords.map { unsafe strdup($0.0) }
    let values = unsafe keywords.map { unsafe strdup($0.1) }
    defer { unsafe (names + values).forEach { unsafe free($0) } }
    var nameList = unsafe names.map { unsafe UnsafePointer($0) }
    var valueList = unsafe values.map { unsafe UnsafePointer($0) }
    // The terminators that libpq expects.
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

  /// Changes while connecting; −1 if there is none.
  var descriptor: Int32 { unsafe PQsocket(pg) }
  var isBroken: Bool { unsafe PQstatus(pg) == CONNECTION_BAD }
  var usesTLS: Bool { unsafe PQsslInUse(pg) == 1 }
  /// The process ID of the server's backend for this session.
  var backendPID: Int32 { unsafe PQbackendPID(pg) }
  /// For example 150018.
  var serverVersion: Int32 { unsafe PQserverVersion(pg) }

  /// The key by which another thread can cancel what runs here; nil if there is no session.
  func cancelKey() -> CancelKey? {
    unsafe PQgetCancel(pg).map { unsafe CancelKey(owning: $0) }
  }

  /// The transaction status as of the last answer.
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

  /// True if the statement is prepared in this session.
  func knows(_ statement: Statement, _ types: [OID]) -> Bool {
    guard let known = prepared[statement.name] else { return false }
    precondition(known.sql == statement.sql, "two statements under the name \(statement.name)")
    precondition(known.types == types, "\(statement.name) is used with parameters of other types than before")
    return true
  }

  func remember(_ statement: Statement, _ types: [OID]) {
    prepared[statement.name] = Prepared(sql: statement.sql, types: types)
  }

  /// Forgets a statement that was deallocated in the session.
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

  /// Parses, plans and runs a statement without keeping it.
  func executeOnce(_ statement: Statement, _ parameters: Parameters) throws(PostgresError) -> Rows {
    if timeout != nil { return try answer(sendExecuteOnce(statement, parameters), statement.name) }
    let result = unsafe parameters.withPointers { pointers in
      unsafe PQexecParams(
        pg, statement.sql, pointers.count, parameters.types.map(\.rawValue), pointers.values, pointers.lengths,
        pointers.formats, binaryResults)
    }
    return try unsafe rows(owning: result, statement.name)
  }

  /// Runs SQL text without parameters, also several statements. Results arrive as text: only for statements that return
  /// nothing.
  @discardableResult
  func run(_ sql: String) throws(PostgresError) -> Rows {
    if timeout != nil { return try answer(unsafe PQsendQuery(pg, sql) == 1, nil) }
    return try unsafe rows(owning: PQexec(pg, sql), nil)
  }

  /// Waits for the complete answer to one call, as libpq's own blocking calls do, but not for ever.
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

  /// Waits until the next result has arrived completely.
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

  /// Shuts the connection down; its answer is no longer expected.
  private func abandon() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    // Reads the end of the stream, so that libpq notices it too.
    while !isBroken, consumeInput() {}
  }

  /// Describes a prepared statement: the types of its parameters and columns.
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

  /// Ends the COPY; with a reason the server discards all of it.
  func endCopy(abandoningBecause reason: String?) throws(PostgresError) -> Rows {
    guard unsafe PQputCopyEnd(pg, reason) == 1 else { throw lostError }
    defer { while let rest = unsafe PQgetResult(pg) { unsafe PQclear(rest) } }
    return try unsafe rows(owning: PQgetResult(pg), nil)
  }

  // MARK: Non-blocking calls

  /// Switches to pipeline mode; no call below waits for the network.
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

  /// Passes bytes to the kernel; `pending` if it takes no more now.
  func flush() -> Flush {
    switch unsafe PQflush(pg) {
    case 0: .done
    case 1: .pending
    default: .failed
    }
  }

  /// Reads what the kernel has. Returns false if the connection is lost.
  func consumeInput() -> Bool {
    unsafe PQconsumeInput(pg) == 1
  }

  enum Answer {
    /// No further result without reading.
    case incomplete
    /// The end of one statement's results.
    case separator
    case outcome(Rows.Outcome)
  }

  func nextAnswer() -> Answer {
    guard unsafe PQisBusy(pg) == 0 else { return .incomplete }
    guard let result = unsafe PQgetResult(pg) else { return .separator }
    return unsafe .outcome(Rows.outcome(owning: result))
  }

  /// Takes the next NOTIFY that has arrived.
  func nextNotification() -> Notification? {
    guard let raw = unsafe PQnotifies(pg) else { return nil }
    defer { unsafe PQfreemem(raw) }
    return unsafe Notification(
      channel: String(cString: raw.pointee.relname), payload: String(cString: raw.pointee.extra),
      backendPID: raw.pointee.be_pid)
  }

  /// The identifier in double quotes, escaped for SQL.
  func quoted(identifier: String) -> String {
    "\"" + identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// libpq's code for binary.
  private let binaryResults: Int32 = 1
}

/// Transaction status of a session between two answers.
enum TransactionStatus {
  case idle, open, failed, unknown
}
