import Postgres
import Reactor
import Testing
import TestSupport

@Suite struct ConnectionTests {
  let database: TestDatabase
  let connection: Connection

  init() throws {
    database = try TestDatabase.makeEmpty()
    connection = try database.connect()
    try connection.script("CREATE TABLE items (id int8 CONSTRAINT items_pkey PRIMARY KEY, name text)")
  }

  private func count() throws -> Int64 {
    try connection.run(Statement("count", "SELECT count(*) FROM items")).int64(0, 0)
  }

  private let insert = Statement("insert", "INSERT INTO items VALUES ($1, $2)")

  private func values(_ id: Int, _ name: String?) -> Parameters {
    return Parameters(id, name)
  }

  // MARK: Statements

  @Test func `a statement is prepared once and used again`() throws {
    for id in 1...3 { #expect(try connection.run(insert, values(id, "n")).affected == 1) }
    let prepared = try connection.run(
      Statement("prepared", "SELECT count(*) FROM pg_prepared_statements WHERE name = 'insert'"))
    #expect(prepared.int64(0, 0) == 1)
    #expect(try count() == 3)
  }

  @Test func `of a statement that is not to be kept nothing stays, and its errors name it`() throws {
    for number in 1...50 {
      var parameters = Parameters()
      parameters.append(number)
      let rows = try connection.run(Statement("once-\(number)", "SELECT $1 + \(number)", isKept: false), parameters)
      #expect(rows.int64(0, 0) == Int64(2 * number))
    }
    let left = try connection.run(
      Statement("left", "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1 + %'"))
    #expect(left.int64(0, 0) == 0)
    let error = try #require(throws: PostgresError.self) {
      try connection.run(Statement("wrong", "SELECT 1 / 0", isKept: false))
    }
    #expect(error.statement == "wrong")
    #expect(try count() == 0)
  }

  @Test func `a broken constraint is named, without the data in the description`() throws {
    try connection.run(insert, values(7, "secret"))
    let error = try #require(throws: PostgresError.self) { try connection.run(insert, values(7, "secret")) }
    #expect(error.sqlState == .uniqueViolation)
    #expect(error.constraint == "items_pkey")
    #expect(error.table == "items")
    #expect(error.statement == "insert")
    #expect(error.detail?.contains("7") == true)
    #expect(error.description == "PostgreSQL error 23505 in insert, constraint items_pkey, table items")
    #expect(!error.isConnectionLost && !error.isRetryable)
  }

  @Test func `text with U+0000 is refused before it is sent`() throws {
    let error = try #require(throws: PostgresError.self) { try connection.run(insert, values(1, "a\0b")) }
    #expect(error.origin == .refusal)
    #expect(error.sqlState == .characterNotInRepertoire)
    #expect(try count() == 0)
  }

  @Test func `a script of several statements is all or nothing`() throws {
    #expect(throws: PostgresError.self) {
      try connection.script("INSERT INTO items VALUES (1, 'a'); INSERT INTO nowhere VALUES (1)")
    }
    #expect(try count() == 0)
  }

  @Test func `a syntax error says where`() throws {
    let error = try #require(throws: PostgresError.self) { try connection.script("SELECT 1;\nSELEC 2") }
    #expect(error.sqlState == .syntaxError)
    #expect(error.position == 11)
  }

  @Test func `a described statement tells its types and is forgotten`() throws {
    let (parameters, columns) = try connection.describe(
      Statement("d", "SELECT name, id FROM items WHERE id = ANY($1) AND name = $2"))
    #expect(parameters == [.int8Array, .text])
    #expect(columns == [.text, .int8])
    let left = try connection.run(Statement("left", "SELECT count(*) FROM pg_prepared_statements"))
    #expect(left.int64(0, 0) == 1)
  }

  @Test func `a statement whose result type changed is prepared anew`() throws {
    let all = Statement("all", "SELECT * FROM items")
    #expect(try connection.run(all).columnCount == 2)
    try database.connect().script("ALTER TABLE items ADD COLUMN extra int4")
    #expect(try connection.run(all).columnCount == 3)
    #expect(connection.generation == 1)
  }

  // MARK: Transactions

  @Test func `a transaction commits when its body returns`() throws {
    let affected = try connection.transaction { () throws(PostgresError) in
      try connection.run(insert, values(1, "a")).affected
    }
    #expect(affected == 1)
    #expect(try database.connect().run(Statement("count", "SELECT count(*) FROM items")).int64(0, 0) == 1)
  }

  @Test func `a transaction rolls back when its body throws, and the connection stays usable`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try connection.withTransaction {
        try connection.run(insert, values(1, "a"))
        throw Stop()
      }
    }
    #expect(throws: PostgresError.self) {
      try connection.transaction { () throws(PostgresError) in
        try connection.run(insert, values(1, "a"))
        try connection.run(insert, values(1, "a"))
      }
    }
    #expect(try count() == 0)
  }

  @Test func `an error swallowed inside a transaction does not pass for a commit`() throws {
    let error = try #require(throws: PostgresError.self) {
      try connection.transaction { () throws(PostgresError) in
        try connection.run(insert, values(1, "a"))
        _ = try? connection.run(insert, values(1, "a"))
      }
    }
    #expect(error.sqlState == .inFailedTransaction)
    #expect(try count() == 0)
  }

  @Test func `the victim of a conflict runs again as often as allowed`() throws {
    var runs = 0
    try connection.transaction(attempts: 3) { () throws(PostgresError) in
      runs += 1
      if runs < 3 { try connection.script("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$") }
      try connection.run(insert, values(runs, "a"))
    }
    #expect(runs == 3)
    #expect(try count() == 1)
  }

  // MARK: Losing the connection

  private func cut(_ victim: Connection) throws {
    var parameters = Parameters()
    parameters.append(victim.backendPID)
    let killed = try database.connect().run(
      Statement("kill", "SELECT pg_terminate_backend($1, 300000)"), parameters)
    #expect(killed.bool(0, 0))
  }

  @Test func `a connection cut between two calls is made anew unnoticed`() throws {
    try connection.run(insert, values(1, "a"))
    try cut(connection)
    try connection.run(insert, values(2, "b"))
    #expect(connection.generation == 1)
    #expect(try count() == 2)
  }

  @Test func `a connection cut inside a transaction throws, and the next call works`() throws {
    let error = try #require(throws: PostgresError.self) {
      try connection.transaction { () throws(PostgresError) in
        try connection.run(insert, values(1, "a"))
        do { try cut(connection) } catch { Issue.record(error) }
        try connection.run(insert, values(2, "b"))
      }
    }
    #expect(error.isConnectionLost)
    #expect(try count() == 0)
  }

  @Test func `a COMMIT may have been carried out, though the server says why it ends the session`() throws {
    // The second COMMIT is prepared already.
    try connection.transaction { () throws(PostgresError) in _ = try connection.run(insert, values(1, "a")) }
    let error = try #require(throws: PostgresError.self) {
      try connection.transaction { () throws(PostgresError) in
        try connection.run(insert, values(2, "b"))
        do { try cut(connection) } catch { Issue.record(error) }
      }
    }
    #expect(error.isConnectionLost && error.mayBeCommitted)
    #expect(try count() == 1)
  }

  @Test func `a statement over its time limit is cancelled`() throws {
    var options = TestDatabase.patientOptions
    options.statementTimeout = .milliseconds(20)
    let hasty = try database.connect(options: options)
    let error = try #require(throws: PostgresError.self) { try hasty.script("SELECT pg_sleep(30)") }
    #expect(error.sqlState == .queryCanceled)
    // On a busy machine even this may take too long once.
    _ = try poll("it is of no use any more") { try? hasty.script("SELECT 1") }
    #expect(hasty.generation == 0)
  }

  @Test func `a server that is not there is a connection error that names the place`() throws {
    let error = try #require(throws: PostgresError.self) {
      _ = try Connection("postgresql:///x?host=/nonexistent")
    }
    #expect(error.isConnectionLost)
    #expect(error.description.contains("/nonexistent"))
  }

  @Test func `a listener that never answers is given up after the time limit`() throws {
    let silent = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = silent.localAddress?.port ?? 0
    var options = ConnectionOptions()
    options.connectTimeout = .milliseconds(50)
    let error = try #require(throws: PostgresError.self) {
      _ = try Connection("postgresql://x:secret@127.0.0.1:\(port)/x", options: options)
    }
    #expect(error.isConnectionLost)
    #expect(!error.description.contains("secret"))
  }

  @Test(arguments: [
    ("postgresql://u:secret@host/db?nonsense=1", "nonsense"), ("postgresql://u:secret%zz@host/db", "%25"),
    ("postgresql://u:secret%00@host/db", "%25"),
    ("host=h password='secret", "%25"), ("host=h password=two secret words", "%25"),
  ])
  func `a URL that cannot be read is refused without its password`(url: String, hint: String) throws {
    let error = try #require(throws: PostgresError.self) { _ = try Connection(url) }
    #expect(error.origin == .refusal)
    #expect(!error.description.contains("secret"), "\(error)")
    #expect(error.description.contains(hint), "\(error)")
  }

  @Test func `with several hosts the first that serves is taken, and the wanted kind of session`() throws {
    let directory = TestCluster.shared.directory
    let url = "postgresql://postgres@/\(database.name)?host=/nonexistent,\(directory)&target_session_attrs=read-write"
    #expect(try TestDatabase.connect(to: url).run(Statement("one", "SELECT 1::int8")).int64(0, 0) == 1)
  }
}
