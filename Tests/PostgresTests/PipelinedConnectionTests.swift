import Postgres
import Reactor
import Testing
import TestSupport

/// Drives one pipelined connection by turning its loop.
final class PipelineFixture {
  let database: TestDatabase
  let loop: EventLoop
  let connection: PipelinedConnection
  private var results: [Result<[Rows], PostgresError>] = []

  init(url: String? = nil, options: ConnectionOptions = TestDatabase.patientOptions) throws {
    database = try TestDatabase.makeEmpty()
    try database.connect().script("CREATE TABLE items (id int8 CONSTRAINT items_pkey PRIMARY KEY, name text)")
    loop = try EventLoop()
    connection = try PipelinedConnection(url ?? database.url, loop: loop, options: options)
  }

  deinit { connection.close() }

  /// Turns the loop until `condition` holds.
  func turn(until condition: () -> Bool) throws {
    let deadline = loop.clock.now + .patience
    while !condition() {
      try #require(loop.clock.now < deadline, "waited too long")
      loop.turn(atMost: .milliseconds(100))
    }
  }

  func ready() throws {
    try turn { connection.state == .ready }
  }

  /// Submits and waits for the answer.
  func run(_ statements: (Statement, Parameters)...) throws -> [Rows] {
    var result: Result<[Rows], PostgresError>?
    connection.submit(statements) { result = $0 }
    #expect(result == nil, "the completion ran inside submit")
    try turn { result != nil }
    return try result!.get()
  }

  func failure(_ statements: (Statement, Parameters)...) throws -> PostgresError {
    var failure: PostgresError?
    connection.submit(statements) { if case .failure(let error) = $0 { failure = error } }
    try turn { failure != nil }
    return failure!
  }

  func count() throws -> Int64 {
    try run((Statement("count", "SELECT count(*) FROM items"), Parameters()))[0].int64(0, 0)
  }

  static let insert = Statement("insert", "INSERT INTO items VALUES ($1, $2)")

  static func item(_ id: Int, _ name: String = "n") -> (Statement, Parameters) {
    var parameters = Parameters()
    parameters.append(id)
    parameters.append(name)
    return (insert, parameters)
  }
}

@Suite struct PipelinedConnectionTests {
  let fixture: PipelineFixture

  init() throws { fixture = try PipelineFixture() }

  private func item(_ id: Int, _ name: String = "n") -> (Statement, Parameters) { PipelineFixture.item(id, name) }

  private func statement(_ name: String, _ sql: String) -> (Statement, Parameters) {
    (Statement(name, sql), Parameters())
  }

  @Test func `several statements come back in order from one submission`() throws {
    let rows = try fixture.run(
      item(1), item(2), statement("names", "SELECT id FROM items ORDER BY id"), statement("one", "SELECT 1::int4"))
    #expect(rows.map(\.affected) == [1, 1, 2, 1])
    #expect(rows[2].int64(1, 0) == 2)
    #expect(rows[3].int32(0, 0) == 1)
  }

  @Test func `a submission before the connection stands is sent when it does`() throws {
    #expect(fixture.connection.state == .connecting)
    #expect(try fixture.run(item(1))[0].affected == 1)
    #expect(fixture.connection.state == .ready)
  }

  @Test func `submissions made at once are answered in order`() throws {
    var order: [Int] = []
    for id in 1...50 { fixture.connection.submit([item(id)]) { _ in order.append(id) } }
    try fixture.turn { order.count == 50 }
    #expect(order == Array(1...50))
    #expect(try fixture.count() == 50)
  }

  @Test func `an error takes the whole submission back and leaves the connection usable`() throws {
    let error = try fixture.failure(item(1), item(1), item(2))
    #expect(error.sqlState == .uniqueViolation)
    #expect(error.constraint == "items_pkey")
    #expect(error.statement == "insert")
    #expect(try fixture.count() == 0)
  }

  @Test func `a statement that cannot be prepared fails, and those after it are prepared later`() throws {
    let error = try fixture.failure(statement("bad", "SELECT * FROM nowhere"), item(1))
    #expect(error.sqlState == .undefinedTable)
    #expect(error.statement == "bad")
    #expect(try fixture.run(item(1))[0].affected == 1)
  }

  @Test func `a statement stays prepared although its submission was rolled back`() throws {
    _ = try fixture.failure(item(1), item(1))
    _ = try fixture.run(item(1))
    let prepared = try fixture.run(
      statement("prepared", "SELECT count(*) FROM pg_prepared_statements WHERE name = 'insert'"))
    #expect(prepared[0].int64(0, 0) == 1)
  }

  @Test func `a statement that is not to be kept goes in between, and nothing of it stays`() throws {
    let once = { (number: Int) in (Statement("once-\(number)", "SELECT \(number)", isKept: false), Parameters()) }
    let rows = try fixture.run(item(1), once(7), once(8), item(2))
    #expect(rows[1].int32(0, 0) == 7 && rows[2].int32(0, 0) == 8)
    #expect(
      try fixture.failure(item(3), (Statement("wrong", "SELECT 1 / 0", isKept: false), Parameters())).statement
        == "wrong")
    #expect(try fixture.count() == 2)
    let prepared = try fixture.run(
      statement("prepared", "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'once%'"))
    #expect(prepared[0].int64(0, 0) == 0)
  }

  @Test func `a constraint checked only at the commit fails the submission`() throws {
    try fixture.database.connect().script(
      """
      CREATE TABLE parents (id int8 PRIMARY KEY);
      CREATE TABLE children (parent int8 CONSTRAINT children_parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)
      """)
    let error = try fixture.failure(statement("orphan", "INSERT INTO children VALUES (1)"))
    #expect(error.sqlState == .foreignKeyViolation)
    #expect(error.constraint == "children_parent")
    #expect(try fixture.count() == 0)
  }

  @Test func `an explicit transaction commits`() throws {
    _ = try fixture.run((.begin, Parameters()), item(1), (.commit, Parameters()))
    #expect(try fixture.count() == 1)
  }

  @Test func `an explicit transaction that failed is rolled back before the next submission`() throws {
    var order: [String] = []
    fixture.connection.submit([(.begin, Parameters()), item(1), item(1), (.commit, Parameters())]) { result in
      if case .failure(let error) = result { order.append(error.sqlState?.rawValue ?? "") }
    }
    fixture.connection.submit([item(2)]) { result in if case .success = result { order.append("next") } }
    try fixture.turn { order.count == 2 }
    #expect(order == ["23505", "next"])
    #expect(try fixture.count() == 1)
  }

  @Test func `a submission that leaves its transaction open is rolled back and told so`() throws {
    let error = try fixture.failure((.begin, Parameters()), item(1))
    #expect(error.sqlState == .activeTransaction)
    #expect(try fixture.count() == 0)
  }

  @Test func `text with U+0000 is refused and nothing is sent`() throws {
    let error = try fixture.failure(item(1), item(2, "a\0"))
    #expect(error.sqlState == .characterNotInRepertoire)
    #expect(try fixture.count() == 0)
  }

  @Test func `a completion may submit`() throws {
    var done = false
    let connection = fixture.connection
    connection.submit([item(1)]) { [item] _ in connection.submit([item(2, "n")]) { _ in done = true } }
    try fixture.turn { done }
    #expect(try fixture.count() == 2)
  }

  @Test func `many megabytes go and come without blocking`() throws {
    let text = String(repeating: "x", count: 1 << 20)
    let echo = Statement("echo", "SELECT $1 || $1")
    var parameters = Parameters()
    parameters.append(text)
    let rows = try fixture.run((echo, parameters), (echo, parameters), (echo, parameters), (echo, parameters))
    for answer in rows { #expect(answer.bytes(0, 0).count == 2 << 20) }
  }

  @Test func `the settings asked for hold in the session`() throws {
    var options = TestDatabase.patientOptions
    options.statementTimeout = .seconds(3_600)
    options.applicationName = "upmc-http-0"
    let fixture = try PipelineFixture(options: options)
    let name = try fixture.run(statement("name", "SELECT current_setting('application_name')"))
    #expect(name[0].text(0, 0) == "upmc-http-0")
    // The limit holds for each statement, so a short one is for a connection that is asked nothing else.
    options.statementTimeout = .milliseconds(20)
    let hasty = try PipelineFixture(options: options)
    #expect(try hasty.failure(statement("sleep", "SELECT pg_sleep(600)")).sqlState == .queryCanceled)
    // On a busy machine even this may take too long once.
    let rows = try poll("it is of no use any more") { try? hasty.count() }
    #expect(rows == 0)
  }

  @Test func `a statement whose result type changed fails once as lost and is then prepared anew`() throws {
    let all = statement("all", "SELECT * FROM items")
    #expect(try fixture.run(all)[0].columnCount == 2)
    try fixture.database.connect().script("ALTER TABLE items ADD COLUMN extra int4")
    #expect(try fixture.failure(all).isConnectionLost)
    #expect(try fixture.run(all)[0].columnCount == 3)
  }
}
