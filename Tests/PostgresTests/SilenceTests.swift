import Postgres
import Reactor
import TestTier
import Testing
import TestSupport

/// A server that is there and does not answer: a blocking connection is given up in bounded time, a long statement is not.
@Suite(.slow) struct SilenceTests {
  private let proxy: DatabaseProxy
  private let database: TestDatabase
  private let connection: Connection

  init() throws {
    database = try TestDatabase.makeEmpty()
    proxy = try DatabaseProxy()
    var options = ConnectionOptions()
    options.silence = .milliseconds(300)
    connection = try Connection(proxy.url(of: database), options: options)
    try connection.script("CREATE TABLE items (id int8)")
    try connection.run(Self.insert)
  }

  private static let insert = Statement("silence-insert", "INSERT INTO items VALUES (1)")
  private static let select = Statement("silence-select", "SELECT count(*) FROM items")

  private func count() throws -> Int64 {
    try database.connect().run(Self.select).int64(0, 0)
  }

  /// Waits until the server has executed the statement that it received.
  private func waits(for rows: Int64) throws {
    _ = try poll("it was not carried out") { try count() == rows ? true : nil }
  }

  private func lost(_ body: () throws -> Void) throws -> PostgresError {
    let clock = SystemClock()
    let began = clock.now
    let error = try #require(throws: PostgresError.self) { try body() }
    #expect(error.isConnectionLost, "\(error)")
    #expect(clock.now - began < .seconds(20 * Sanitizers.slowness))
    return error
  }

  @Test func `a statement that takes long is waited for`() throws {
    let rows = try connection.run(Statement("silence-sleep", "SELECT 7 FROM pg_sleep(1.5)"))
    #expect(rows.int32(0, 0) == 7)
    #expect(connection.generation == 0)
  }

  @Test func `a question without an answer is lost, and nothing may have been committed`() throws {
    proxy.fallSilent()
    #expect(try !lost { try connection.run(Self.select) }.mayBeCommitted)
    #expect(!connection.isConnected)
    proxy.cut()
    #expect(try connection.run(Self.select).int64(0, 0) == 1)
  }

  @Test func `of several hosts it is the session's own that is asked whether it answers`() throws {
    let other = try DatabaseProxy()
    defer { other.close() }
    let hosts = "127.0.0.1:\(other.port),127.0.0.1:\(proxy.port)"
    var options = ConnectionOptions()
    options.silence = .milliseconds(300)
    let connection = try Connection(
      "postgresql://postgres@\(hosts)/\(database.name)?sslmode=disable&gssencmode=disable", options: options)
    // The second attempt begins at the second host.
    try connection.reconnect()
    proxy.fallSilent()
    #expect(try !lost { try connection.run(Self.select) }.mayBeCommitted)
    proxy.cut()
  }

  @Test func `a change of its own may have been committed`() throws {
    proxy.fallSilent(after: "silence-insert")
    #expect(try lost { try connection.run(Self.insert) }.mayBeCommitted)
    try waits(for: 2)
    proxy.cut()
  }

  @Test func `a change that is not kept prepared may have been committed, too`() throws {
    proxy.fallSilent(after: "INSERT INTO items VALUES (2)")
    let once = Statement("silence-once", "INSERT INTO items VALUES (2)", isKept: false)
    #expect(try lost { try connection.run(once) }.mayBeCommitted)
    try waits(for: 2)
    proxy.cut()
  }

  private func insertInTransaction() throws {
    try connection.withTransaction { _ = try connection.run(Self.insert) }
  }

  @Test func `a transaction may have been committed when the answer to its COMMIT is outstanding, and not before`()
    throws
  {
    proxy.fallSilent(after: "silence-insert")
    let before = try lost { try insertInTransaction() }
    #expect(!before.mayBeCommitted)
    #expect(try count() == 1)
    proxy.cut()
    try insertInTransaction()
    proxy.fallSilent(after: "commit")
    let after = try lost { try insertInTransaction() }
    #expect(after.mayBeCommitted)
    try waits(for: 3)
    proxy.cut()
  }
}
