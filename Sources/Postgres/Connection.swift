package import Reactor
internal import Glibc

/// A blocking connection for one thread: each call returns when the server has answered.
///
/// ```
///   connected ──► (run, transaction, copyIn, notifications)
///      ▲  │ lost: the call throws `isConnectionLost`
///      └──┘ the next call, or `reconnect`, connects again and listens to the same channels
/// ```
///
/// Each call outside a transaction, except `notifications`, first checks whether the server has closed the connection,
/// and reconnects if so; a database restart between two calls therefore causes no error. Not `Sendable`: create it on
/// the thread that uses it.
package final class Connection {
  private let target: ConnectionTarget
  private let options: ConnectionOptions
  private var session: Session
  private var attempts = 0
  private var channels: [String] = []
  /// Number of the session, from 0, incremented with each reconnect. When it changes, a listener must assume that it
  /// missed notifications.
  package private(set) var generation = 0
  /// True if the server rejected a write as read-only: the next call outside a transaction reconnects to find the
  /// primary.
  private var needsAnotherServer = false
  /// True from the BEGIN of `transaction` or `withTransaction` until the transaction has ended.
  private var isInTransaction = false

  /// Connects to the database. Blocks for up to `connectTimeout` per host, plus the time for resolving names and
  /// applying the session's settings. Throws if that fails; the error has the origin `refusal` if the URL cannot be
  /// parsed.
  /// - Parameter url: any URL that libpq accepts: `postgresql://user@host/db`, with several hosts,
  ///   `target_session_attrs` etc.
  package convenience init(_ url: String, options: ConnectionOptions = ConnectionOptions()) throws(PostgresError) {
    try self.init(ConnectionTarget(url, options: options), options)
  }

  private init(_ target: ConnectionTarget, _ options: ConnectionOptions) throws(PostgresError) {
    (self.target, self.options) = (target, options)
    session = try Self.connect(to: target, options, attempt: 0)
  }

  package typealias Maker = @Sendable () throws(PostgresError) -> Connection

  /// A function that opens another connection with the same settings, but without the canceller; the connection belongs
  /// to the thread that calls it.
  package var another: Maker {
    var options = options
    options.canceller = nil
    return { [target, options] () throws(PostgresError) in try Connection(target, options) }
  }

  /// Returns the hosts, ports and database name of the URL, without the password, for messages; a fixed text if the URL
  /// cannot be parsed.
  package static func place(of url: String) -> String {
    (try? ConnectionTarget(url, options: ConnectionOptions()))?.description ?? "a URL that cannot be read"
  }

  /// Returns the URL's settings as environment variables for PostgreSQL's command-line programs: `PGHOST=…` etc.
  /// Includes the password if the URL has one; leaves out uncommon settings (see `ConnectionTarget.environment`).
  /// Throws if the URL cannot be parsed.
  package static func environment(of url: String) throws(PostgresError) -> [String] {
    try ConnectionTarget(url, options: ConnectionOptions()).environment
  }

  /// Returns the name of the database in the URL; if it has none, the user's name, as in libpq. Empty if it has
  /// neither, or cannot be parsed.
  package static func databaseName(of url: String) -> String {
    (try? ConnectionTarget(url, options: ConnectionOptions()))?.databaseName ?? ""
  }

  /// Returns whether the URL names several hosts without requiring a primary, so that a connection may end up on a
  /// standby. False if the URL cannot be parsed.
  package static func mayMeetStandby(_ url: String) -> Bool {
    guard let target = try? ConnectionTarget(url, options: ConnectionOptions()) else { return false }
    return target.hostCount > 1 && !target.wantsPrimary
  }

  /// The process ID of the server's backend for this session.
  package var backendPID: Int32 { session.backendPID }
  /// The server's version as a number, for example 150018 for 15.18.
  package var serverVersion: Int32 { session.serverVersion }
  /// False if the connection is known to be lost. Reading it does not query the server.
  package var isConnected: Bool { !session.isBroken }

  // MARK: Statements

  /// Runs a statement, and returns when the server has answered. Prepares the statement on its first use in this
  /// session, unless `isKept` is false. Outside a transaction, a statement that no longer matches the schema is
  /// prepared and run again in a new session. Throws without sending anything if a text contains U+0000.
  @discardableResult
  package func run(_ statement: Statement, _ parameters: Parameters = Parameters()) throws(PostgresError) -> Rows {
    if let refusal = parameters.refusal { throw refusal.naming(statement.name) }
    try beReady()
    do {
      return try prepareAndExecute(statement, parameters)
    } catch  where error.isStaleStatement && !isInTransaction {
      // The statement was not run; a new session prepares it against the current schema.
      try reconnect()
      return try prepareAndExecute(statement, parameters)
    }
  }

  private func prepareAndExecute(_ statement: Statement, _ parameters: Parameters) throws(PostgresError) -> Rows {
    let types = parameters.types
    options.canceller?.begins(statement, inTransaction: isInTransaction)
    defer { options.canceller?.ended() }
    do {
      if statement.isKept, !session.knows(statement, types) { try session.prepare(statement, types) }
      return try execute(statement, parameters)
    } catch {
      throw noting(error)
    }
  }

  private func execute(_ statement: Statement, _ parameters: Parameters) throws(PostgresError) -> Rows {
    do throws(PostgresError) {
      return try statement.isKept
        ? session.execute(statement, parameters) : session.executeOnce(statement, parameters)
    } catch {
      guard error.isConnectionLost, !error.needsAnotherServer else { throw error }
      var lost = error
      // A read-only statement leaves nothing in doubt, because it commits nothing, and neither does BEGIN.
      let changesNothing = statement == .begin || statement.sql.hasPrefix("SELECT")
      // A server that shuts down says so before the next message: behind a COMMIT that it has carried out, and before
      // the end of a statement outside a transaction, which it then rolls back.
      let isUnheard = error.origin == .connection && !isInTransaction && !changesNothing
      lost.mayBeCommitted = statement == .commit || isUnheard
      throw lost
    }
  }

  private func noting(_ error: PostgresError) -> PostgresError {
    if error.needsAnotherServer { needsAnotherServer = true }
    return error
  }

  /// Runs SQL text as it is, possibly several statements (atomically, unless the text contains transaction commands).
  /// For trusted text only, such as migrations and settings.
  package func script(_ sql: String) throws(PostgresError) {
    try beReady()
    do {
      try session.run(sql)
    } catch {
      throw noting(error)
    }
  }

  /// Prepares a statement without running it and returns the types that the server infers for its parameters and its
  /// columns. The prepared statement is deallocated again.
  package func describe(_ statement: Statement) throws(PostgresError) -> (parameters: [OID], columns: [OID]) {
    try beReady()
    let probe = Statement("describe", statement.sql)
    try session.prepare(probe, [])
    let description = try session.describe(probe.name)
    try session.run("DEALLOCATE \(session.quoted(identifier: probe.name))")
    session.forgetPrepared(probe.name)
    return (description.parameterTypes, (0..<description.columnCount).map(description.type(ofColumn:)))
  }

  // MARK: Transactions

  /// Runs `body` in a transaction: commits if it returns, rolls back if it throws. If `body` returns although a
  /// statement has failed, rolls back and throws `inFailedTransaction`. Traps inside another transaction.
  /// - Parameter attempts: maximum number of attempts, each running `body`, if the transaction fails with an
  ///   `isRetryable` error.
  package func transaction<Outcome>(
    attempts: Int = 1, _ body: () throws(PostgresError) -> Outcome
  ) throws(PostgresError) -> Outcome {
    var left = attempts
    while true {
      do {
        try begin()
        let outcome = try body()
        try commit()
        return outcome
      } catch {
        rollBackQuietly()
        left -= 1
        guard left > 0, error.isRetryable else { throw error }
      }
    }
  }

  /// Runs `body`, which can throw any error, in a transaction: commits if it returns, rolls back if it throws. Like
  /// `transaction`, but without further attempts.
  package func withTransaction<Outcome>(_ body: () throws -> Outcome) throws -> Outcome {
    do {
      try begin()
      let outcome = try body()
      try commit()
      return outcome
    } catch {
      rollBackQuietly()
      throw error
    }
  }

  private func begin() throws(PostgresError) {
    precondition(!isInTransaction, "a transaction inside a transaction")
    try run(.begin)
    isInTransaction = true
  }

  private func commit() throws(PostgresError) {
    // COMMIT of a failed transaction reports success although it rolls back. Getting here means that `body` has ignored
    // an error.
    guard session.transaction != .failed else {
      throw PostgresError(
        origin: .refusal, sqlState: .inFailedTransaction, message: "an error inside the transaction was ignored")
    }
    try run(.commit)
    isInTransaction = false
  }

  /// Rolls back and ignores failures: the original error is the one to report, and losing the connection rolls back
  /// too.
  private func rollBackQuietly() {
    if isInTransaction, !session.isBroken { _ = try? run(.rollback) }
    isInTransaction = false
  }

  // MARK: COPY

  /// Streams rows into a table with COPY, the fastest way to insert many rows.
  /// - Parameter sql: a COPY in binary format, for example `COPY t (a, b) FROM STDIN (FORMAT binary)`.
  /// - Returns: the number of rows stored.
  /// - Throws: the error of `body` or of the server; then no row is stored. If the connection is lost after the last row
  ///   was sent, the rows may be stored, unless the call is within a transaction. Also throws if `sql` is another kind
  ///   of statement, which has then been run.
  @discardableResult
  package func copyIn(
    _ sql: String, _ body: (inout CopyWriter) throws(PostgresError) -> Void
  ) throws(PostgresError) -> Int {
    try beReady()
    try session.startCopy(sql)
    var writer = CopyWriter(session)
    do {
      try body(&writer)
      try writer.finish()
    } catch {
      _ = try? session.endCopy(abandoningBecause: "abandoned by the client")
      throw error
    }
    return try session.endCopy(abandoningBecause: nil).affected
  }

  // MARK: Notifications

  /// Subscribes to a notification channel; the subscription is renewed on reconnect. Has no effect if repeated. Do not
  /// call it inside a transaction: a rollback would undo it.
  package func listen(_ channel: String) throws(PostgresError) {
    try beReady()
    try session.run("LISTEN \(session.quoted(identifier: channel))")
    if !channels.contains(channel) { channels.append(channel) }
  }

  /// Waits for notifications and returns all that have arrived. Returns an empty array on timeout, if the server sends
  /// something else, or if `wakeup` is signalled first; that signal stays pending. Throws if the connection is lost:
  /// then call `reconnect` and assume that notifications were missed. If `isConnected` is false before the call,
  /// reconnects first, which changes `generation`.
  package func notifications(
    waitingAtMost timeout: Duration, or wakeup: Wakeup? = nil
  ) throws(PostgresError) -> [Notification] {
    if session.isBroken { try reconnect() }
    let arrived = takeNotifications()
    if !arrived.isEmpty { return arrived }
    var entries = [pollfd(fd: session.descriptor, events: Int16(POLLIN), revents: 0)]
    if let wakeup { entries.append(pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)) }
    guard unsafe poll(&entries, nfds_t(entries.count), timeout.pollMilliseconds) > 0 else { return [] }
    guard entries[0].revents != 0 else { return [] }
    repeat {
      guard session.consumeInput() else { throw session.lostError }
    } while session.hasHiddenInput
    return takeNotifications()
  }

  private func takeNotifications() -> [Notification] {
    var arrived: [Notification] = []
    while let one = session.nextNotification() { arrived.append(one) }
    return arrived
  }

  // MARK: Connecting

  /// Opens a new session, whatever the state of the old one, and listens to the same channels. Increments `generation`.
  /// If that fails, keeps the old session and throws.
  package func reconnect() throws(PostgresError) {
    attempts += 1
    isInTransaction = false
    needsAnotherServer = false
    let made = try Self.connect(to: target, options, attempt: attempts)
    // Use the new session only once it listens: a session that misses notifications would go unnoticed.
    for channel in channels { try made.run("LISTEN \(made.quoted(identifier: channel))") }
    session = made
    generation += 1
  }

  /// Reconnects if the server has closed the connection since the last call, which makes the socket readable, or if it
  /// is read-only. Does nothing inside a transaction.
  private func beReady() throws(PostgresError) {
    guard !isInTransaction, session.transaction == .idle || session.isBroken else { return }
    if needsAnotherServer { return try reconnect() }
    var entry = pollfd(fd: session.descriptor, events: Int16(POLLIN), revents: 0)
    // Read repeatedly: the server sends its reason before it closes the connection.
    while !session.isBroken, unsafe poll(&entry, 1, 0) > 0 { _ = session.consumeInput() }
    if session.isBroken { try reconnect() }
  }

  /// Returns whether a session's server responds to a new connection, even if only to refuse it. If it does, the
  /// session's server process is just busy with a long statement.
  /// - Parameter target: the host of the session, and no other.
  private static func answers(_ target: ConnectionTarget) -> Bool {
    var options = ConnectionOptions()
    options.silence = Postgres.Limits.probe
    options.connectTimeout = Postgres.Limits.probe
    do throws(PostgresError) {
      _ = try Connection.connect(to: target, options, attempt: 0, isProbe: true)
      return true
    } catch {
      // The server refuses new sessions, because too many are open for example: that is a response, too.
      return error.sqlState != nil || error.message.contains("FATAL")
    }
  }

  private static func connect(
    to target: ConnectionTarget, _ options: ConnectionOptions, attempt: Int, isProbe: Bool = false
  ) throws(PostgresError) -> Session {
    let clock = SystemClock()
    let deadline = clock.now + options.connectTimeout * target.hostCount
    let session = try Session(connectingTo: target, attempt: attempt)
    var wanted = Int16(POLLOUT)
    while true {
      var entry = pollfd(fd: session.descriptor, events: wanted, revents: 0)
      let left = deadline - clock.now
      guard left > .zero, unsafe poll(&entry, 1, left.pollMilliseconds) != 0 else {
        throw .connection("connecting to \(target) took longer than \(options.connectTimeout) a host")
      }
      switch session.continueConnecting() {
      case .wantsRead: wanted = Int16(POLLIN)
      case .wantsWrite: wanted = Int16(POLLOUT)
      case .failed: throw session.connectError
      case .connected:
        session.timeout = options.silence
        try session.run(options.settingsSQL)
        if options.silence != nil, !isProbe {
          // Of several hosts ask the session's own: another one that answers, a new primary for example, says nothing.
          let own = target.only(session.host)
          session.isSilent = { !answers(own) }
        }
        options.canceller?.follow(session.cancelKey())
        return session
      }
    }
  }
}

extension Duration {
  /// The duration in milliseconds for `poll`, 0 if negative. Rounded up: waking a millisecond early would only cause
  /// another iteration.
  fileprivate var pollMilliseconds: Int32 { Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000)) }
}
