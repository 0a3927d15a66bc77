internal import CLibPQ
internal import Glibc
internal import Reactor

/// Owns one libpq connection and is the only code that uses `PGconn`. Most methods wrap one libpq call of a similar
/// name.
///
/// Owned by a `Connection` or `PipelinedConnection` and used on its thread. Prepared statements end with the session.
@safe
final class Session {
  /// libpq's connection handle, freed in `deinit`.
  private let pg: OpaquePointer
  /// Statements prepared in this session, by name.
  private var prepared: [String: Prepared] = [:]

  /// Time for which a blocking call waits for an answer before it calls `isSilent`; nil to wait indefinitely, as calls
  /// for COPY and `describe` always do.
  var timeout: Duration?
  /// Called when `timeout` has passed. If it returns true, the server does not respond at all: the connection is shut
  /// down and the call throws. If it returns false, the call waits for another `timeout`.
  var isSilent: () -> Bool = { true }

  private struct Prepared {
    let sql: String
    let types: [OID]
  }

  /// The state of a connection attempt: what it waits for next.
  enum Progress {
    case wantsRead, wantsWrite, connected, failed
  }

  /// Starts connecting; call `continueConnecting` until it returns `connected` or `failed`. Throws if the attempt fails
  /// at once. Both calls block while they resolve a host name; use numeric addresses (`hostaddr`) or a Unix socket
  /// where that matters.
  init(connectingTo target: ConnectionTarget, attempt: Int) throws(PostgresError) {
    let keywords = target.keywords(attempt: attempt)
    let names = unsafe keywords.map { unsafe strdup($0.0) }
    let values = unsafe keywords.map { unsafe strdup($0.1) }
    defer { unsafe (names + values).forEach { unsafe free($0) } }
    var nameList = unsafe names.map { unsafe UnsafePointer($0) }
    var valueList = unsafe values.map { unsafe UnsafePointer($0) }
    // libpq expects null-terminated lists.
    unsafe nameList.append(nil)
    unsafe valueList.append(nil)
    // Safe: libpq copies the strings before it returns.
    guard let pg = unsafe PQconnectStartParams(nameList, valueList, 0) else {
      throw .connection("out of memory while connecting to PostgreSQL")
    }
    unsafe self.pg = pg
    // By default libpq prints notices to standard error, where they would mix with the log.
    unsafe PQsetNoticeReceiver(pg, { _, _ in }, nil)
    // Until the session is open, only its verbose message contains the server's error code.
    unsafe PQsetErrorVerbosity(pg, PQERRORS_VERBOSE)
    guard !isBroken else { throw connectError }
  }

  deinit {
    unsafe PQfinish(pg)
  }

  // MARK: State

  /// The socket's descriptor, which may change while connecting; −1 if there is none.
  var descriptor: Int32 { unsafe PQsocket(pg) }
  var isBroken: Bool { unsafe PQstatus(pg) == CONNECTION_BAD }
  /// True if OpenSSL holds decrypted bytes for which libpq had no room. Neither `poll` nor epoll reports them, so
  /// consume input again before waiting for the socket. Happens with records of more than 8 KiB, as PostgreSQL 17 and
  /// proxies send them.
  var hasHiddenInput: Bool { unsafe upmc_pq_decrypted_bytes(pg) > 0 }
  /// The process ID of the server's backend for this session.
  var backendPID: Int32 { unsafe PQbackendPID(pg) }
  /// The server's version as a number, for example 150018 for 15.18.
  var serverVersion: Int32 { unsafe PQserverVersion(pg) }

  var host: ConnectedHost {
    unsafe ConnectedHost(
      name: String(cString: PQhost(pg)), address: String(cString: PQhostaddr(pg)), port: String(cString: PQport(pg)))
  }

  /// Returns the handle by which another thread can cancel this session's statement; nil if there is no session.
  func cancelKey() -> CancelKey? {
    unsafe PQgetCancel(pg).map { unsafe CancelKey(owning: $0) }
  }

  /// The transaction status as of the last answer; `unknown` while a statement runs, and without a connection.
  var transaction: TransactionStatus {
    switch unsafe PQtransactionStatus(pg) {
    case PQTRANS_IDLE: .idle
    case PQTRANS_INTRANS: .open
    case PQTRANS_INERROR: .failed
    default: .unknown
    }
  }

  var connectError: PostgresError { .connecting(failed: unsafe String(cString: PQerrorMessage(pg))) }
  var lostError: PostgresError { .lost(lastMessage) }

  private var lastMessage: String {
    let words = unsafe String(cString: PQerrorMessage(pg)).split(whereSeparator: \.isWhitespace)
    return words.joined(separator: " ")
  }

  // MARK: Connecting

  func continueConnecting() -> Progress {
    switch unsafe PQconnectPoll(pg) {
    case PGRES_POLLING_OK:
      unsafe PQsetErrorVerbosity(pg, PQERRORS_DEFAULT)
      return .connected
    case PGRES_POLLING_READING: return .wantsRead
    case PGRES_POLLING_WRITING: return .wantsWrite
    default: return .failed
    }
  }

  // MARK: Prepared statements

  /// Returns whether the statement is prepared in this session with these parameter types. Traps if another text or
  /// other types are prepared under its name.
  func knows(_ statement: Statement, _ types: [OID]) -> Bool {
    guard let known = prepared[statement.name] else { return false }
    precondition(known.sql == statement.sql, "two statements under the name \(statement.name)")
    precondition(known.types == types, "\(statement.name) is used with parameters of other types than before")
    return true
  }

  func remember(_ statement: Statement, _ types: [OID]) {
    prepared[statement.name] = Prepared(sql: statement.sql, types: types)
  }

  /// Removes a statement that was deallocated on the server.
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

  /// Parses, plans and runs a statement without keeping it prepared.
  func executeOnce(_ statement: Statement, _ parameters: Parameters) throws(PostgresError) -> Rows {
    if timeout != nil { return try answer(sendExecuteOnce(statement, parameters), statement.name) }
    let result = unsafe parameters.withPointers { pointers in
      unsafe PQexecParams(
        pg, statement.sql, pointers.count, parameters.types.map(\.rawValue), pointers.values, pointers.lengths,
        pointers.formats, binaryResults)
    }
    return try unsafe rows(owning: result, statement.name)
  }

  /// Runs SQL text without parameters, possibly several statements, and returns the result of the last one. Values in
  /// it are in text format, which `Rows` cannot read.
  @discardableResult
  func run(_ sql: String) throws(PostgresError) -> Rows {
    if timeout != nil { return try answer(unsafe PQsendQuery(pg, sql) == 1, nil) }
    return try unsafe rows(owning: PQexec(pg, sql), nil)
  }

  /// Waits for the complete result of one call, like libpq's own blocking functions, but gives up if the server is
  /// unresponsive. Throws if `isSent` is false, because the call could not be sent.
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

  /// Waits until the next result has arrived completely. Throws if the connection is lost, or `isSilent` returns true.
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
      let patience = hasHiddenInput ? 0 : Int32(clamping: left.nanoseconds / 1_000_000 + 1)
      let isReadable = unsafe poll(&entry, 1, patience) > 0
      if isReadable || hasHiddenInput, !consumeInput() { throw lostError }
    }
  }

  /// Shuts the connection down, because the server is unresponsive.
  private func abandon() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    // Read the end of the stream, so that libpq notices it too.
    while !isBroken, consumeInput() {}
  }

  /// Returns a result without rows that contains the types of a prepared statement's parameters and columns.
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

  /// Ends a COPY and returns the number of rows as `affected`. With a reason, the server discards all its rows, and
  /// this method throws.
  func endCopy(abandoningBecause reason: String?) throws(PostgresError) -> Rows {
    guard unsafe PQputCopyEnd(pg, reason) == 1 else { throw lostError }
    defer { while let rest = unsafe PQgetResult(pg) { unsafe PQclear(rest) } }
    return try unsafe rows(owning: PQgetResult(pg), nil)
  }

  // MARK: Non-blocking calls

  /// Switches to pipeline mode, in which the methods below never wait for the network. Returns false if libpq refuses.
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

  /// Sends SQL text without parameters, without preparing it. Returns false if libpq cannot send it.
  func sendOnce(_ sql: String) -> Bool {
    unsafe PQsendQueryParams(pg, sql, 0, nil, nil, nil, nil, binaryResults) == 1
  }

  func sendSync() -> Bool {
    unsafe PQpipelineSync(pg) == 1
  }

  enum Flush {
    case done, pending, failed
  }

  /// Writes buffered output. Returns `done` if all is written, `pending` if the socket accepts no more for now, and
  /// `failed` if the connection is lost.
  func flush() -> Flush {
    switch unsafe PQflush(pg) {
    case 0: .done
    case 1: .pending
    default: .failed
    }
  }

  /// Reads available input without blocking. Returns false if the connection is lost.
  func consumeInput() -> Bool {
    unsafe PQconsumeInput(pg) == 1
  }

  enum Answer {
    /// More input is needed for the next result.
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

  /// Returns the next notification that has arrived; nil if there is none.
  func nextNotification() -> Notification? {
    guard let raw = unsafe PQnotifies(pg) else { return nil }
    defer { unsafe PQfreemem(raw) }
    return unsafe Notification(
      channel: String(cString: raw.pointee.relname), payload: String(cString: raw.pointee.extra),
      backendPID: raw.pointee.be_pid)
  }

  /// Quotes an identifier for SQL, doubling the quotation marks in it.
  func quoted(identifier: String) -> String {
    "\"" + identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// libpq's code for the binary format.
  private let binaryResults: Int32 = 1
}

/// Transaction status of a session between statements.
enum TransactionStatus {
  case idle, open, failed, unknown
}

/// The versions of PostgreSQL that are supported.
package enum ServerVersion {
  /// The oldest major version: the first with NULLS NOT DISTINCT, which the schema needs.
  package static let oldestMajor = 15
  /// The oldest version as a server reports it (`server_version_num`), for example 150018 for 15.18.
  package static let oldestNumber = oldestMajor * 10_000
}
