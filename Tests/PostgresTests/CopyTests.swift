import Postgres
import Testing
import TestSupport
import Time

@Suite struct CopyTests {
  let connection: Connection
  private let copy = "COPY items (id, name, at, extra) FROM STDIN (FORMAT binary)"

  init() throws {
    connection = try TestDatabase.makeEmpty().connect()
    try connection.script("CREATE TABLE items (id int8 PRIMARY KEY, name text, at timestamptz, extra jsonb)")
  }

  private func count() throws -> Int64 {
    try connection.run(Statement("count", "SELECT count(*) FROM items")).int64(0, 0)
  }

  @Test func `rows beyond one chunk arrive whole`() throws {
    let copied = try connection.copyIn(copy) { (writer) throws(PostgresError) in
      for id in 1...10_000 {
        try writer.beginRow(columns: 4)
        writer.append(Int64(id))
        writer.append(text: id % 2 == 0 ? nil : "name \(id)")
        writer.append(Timestamp(microseconds: Int64(id)))
        writer.append(json: "{}")
      }
    }
    #expect(copied == 10_000)
    let sum = try connection.run(Statement("sum", "SELECT sum(id)::int8, count(name), max(at) FROM items"))
    #expect(sum.int64(0, 0) == 50_005_000)
    #expect(sum.int64(0, 1) == 5_000)
    #expect(sum.timestamp(0, 2) == 10_000)
  }

  @Test func `a copy of nothing stores nothing`() throws {
    #expect(try connection.copyIn(copy) { (_) throws(PostgresError) in } == 0)
  }

  @Test func `a copy whose body throws stores nothing, and the connection stays usable`() throws {
    let stop = PostgresError(origin: .refusal, message: "stop")
    let error = try #require(throws: PostgresError.self) {
      try connection.copyIn(copy) { (writer) throws(PostgresError) in
        try writer.beginRow(columns: 4)
        throw stop
      }
    }
    #expect(error == stop)
    #expect(try count() == 0)
  }

  @Test func `a broken constraint fails the whole copy`() throws {
    let error = try #require(throws: PostgresError.self) {
      try connection.copyIn(copy) { (writer) throws(PostgresError) in
        for _ in 1...2 {
          try writer.beginRow(columns: 4)
          writer.append(Int64(1))
          writer.append(text: "x")
          writer.append(nil as Timestamp?)
          writer.append(json: nil)
        }
      }
    }
    #expect(error.constraint == "items_pkey")
    #expect(try count() == 0)
  }

  @Test func `text with U+0000 fails the whole copy`() throws {
    let error = try #require(throws: PostgresError.self) {
      try connection.copyIn(copy) { (writer) throws(PostgresError) in
        try writer.beginRow(columns: 4)
        writer.append(Int64(1))
        writer.append(text: "a\0")
        writer.append(nil as Timestamp?)
        writer.append(json: nil)
      }
    }
    #expect(error.sqlState == .characterNotInRepertoire)
    #expect(try count() == 0)
  }

  @Test func `a statement that is no copy is refused`() throws {
    #expect(throws: PostgresError.self) { try connection.copyIn("SELECT 1") { (_) throws(PostgresError) in } }
    #expect(try count() == 0)
  }
}
