import Reactor
import TestSupport
import Testing

@testable import Postgres

/// A statement of one thread is ended by another.
@Suite struct CancellerTests {
  private let database: TestDatabase
  private let connection: Connection
  private let canceller = Canceller()

  init() throws {
    database = try TestDatabase.makeEmpty()
    var options = TestDatabase.patientOptions
    options.canceller = canceller
    connection = try Connection(database.url, options: options)
    try connection.script("CREATE TABLE a (x int)")
  }

  private func cancelled(_ body: () throws(PostgresError) -> Void) throws {
    let error = try #require(throws: PostgresError.self) { try body() }
    #expect(error.sqlState == .queryCanceled)
  }

  @Test func `what reads, and what waits in a transaction, is cancelled, and the connection goes on`() throws {
    let holder = try database.connect()
    try holder.script("BEGIN; LOCK TABLE a IN ACCESS EXCLUSIVE MODE")
    canceller.keepCancelling()
    defer { canceller.release() }
    try cancelled { () throws(PostgresError) in try connection.run(Statement("read", "SELECT x FROM a")) }
    try cancelled { () throws(PostgresError) in
      try connection.transaction { () throws(PostgresError) in
        _ = try connection.run(Statement("write", "INSERT INTO a VALUES (1)"))
      }
    }
    try connection.reconnect()
    try cancelled { () throws(PostgresError) in try connection.run(Statement("read", "SELECT x FROM a")) }
    let generation = connection.generation
    canceller.release()
    try holder.script("COMMIT")
    // The last request may still be on its way, and cancel this too.
    let rows = try poll("it is of no use any more") {
      try? connection.run(Statement("count", "SELECT count(*) FROM a"))
    }
    #expect(rows.int64(0, 0) == 0 && connection.generation == generation)
  }

  @Test func `what may be committing is left alone`() throws {
    // A commit that takes long, as one that waits for its standby does: a trigger that runs at its end.
    try connection.script(
      """
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON a DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()
      """)
    defer { canceller.release() }
    try connection.transaction { () throws(PostgresError) in
      _ = try connection.run(Statement("write", "INSERT INTO a VALUES (1)"))
      // The write itself may be cancelled; what follows is its commit.
      canceller.keepCancelling()
    }
    try connection.run(Statement("write", "INSERT INTO a VALUES (1)"))
    // The one that reads on this connection would be cancelled.
    #expect(try database.connect().run(Statement("count", "SELECT count(*) FROM a")).int64(0, 0) == 2)
  }

  @Test func `writes of which nobody was told are cancelled too, when asked for`() throws {
    let canceller = Canceller(sparesWrites: false)
    var options = TestDatabase.patientOptions
    options.canceller = canceller
    let connection = try Connection(database.url, options: options)
    let holder = try database.connect()
    try holder.script("BEGIN; LOCK TABLE a IN ACCESS EXCLUSIVE MODE")
    canceller.keepCancelling()
    defer { canceller.release() }
    try cancelled { () throws(PostgresError) in try connection.run(Statement("write", "INSERT INTO a VALUES (1)")) }
  }
}
