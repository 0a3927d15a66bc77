import Postgres
import Testing
import TestSupport
import Time

/// Every kind of value travels to the server and back unchanged.
@Suite struct ParametersTests {
  let connection: Connection

  init() throws { connection = try TestDatabase.makeEmpty().connect() }

  private func echo(_ parameters: Parameters) throws -> Rows {
    let list = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
    return try connection.run(Statement("echo", "SELECT \(list)"), parameters)
  }

  private let uuid = UUIDValue("00112233-4455-6677-8899-aabbccddeeff")!

  @Test func `single values keep their value and type`() throws {
    var parameters = Parameters()
    parameters.append(Int64.min)
    parameters.append(Int32.max)
    parameters.append(Int16.min)
    parameters.append(true)
    parameters.append("알림 🔔")
    parameters.append([0, 255, 1] as [UInt8])
    parameters.append(uuid)
    parameters.append(Timestamp(microseconds: 1_767_225_600_123_456))
    parameters.append(JSONValue(#"{"a": [1, "x"]}"#))
    parameters.append(42)
    let rows = try echo(parameters)
    #expect(rows.int64(0, 0) == .min)
    #expect(rows.int32(0, 1) == .max)
    #expect(rows.int16(0, 2) == .min)
    #expect(rows.bool(0, 3))
    #expect(rows.text(0, 4) == "알림 🔔")
    #expect(rows.bytes(0, 5) == [0, 255, 1])
    #expect(rows.uuid(0, 6) == uuid)
    #expect(rows.timestamp(0, 7) == 1_767_225_600_123_456)
    #expect(rows.text(0, 8) == #"{"a": [1, "x"]}"#)
    #expect(rows.int64(0, 9) == 42)
    #expect((0..<10).map(rows.type(ofColumn:)) == parameters.types)
  }

  @Test func `the server reads the same time and UUID`() throws {
    var parameters = Parameters()
    parameters.append(Timestamp(microseconds: 1_767_225_600_000_001))
    parameters.append(uuid)
    let rows = try connection.run(
      Statement("texts", "SELECT to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), $2::text"), parameters)
    #expect(rows.text(0, 0) == "2026-01-01 00:00:00.000001")
    #expect(rows.text(0, 1) == uuid.description)
  }

  @Test func `NULL of every kind stays NULL, and empty stays empty`() throws {
    var parameters = Parameters()
    parameters.append("")
    parameters.append(nil as Int64?)
    parameters.append(nil as Int32?)
    parameters.append(nil as Int16?)
    parameters.append(nil as Bool?)
    parameters.append(nil as String?)
    parameters.append(nil as [UInt8]?)
    parameters.append(nil as UUIDValue?)
    parameters.append(nil as Timestamp?)
    parameters.append(nil as JSONValue?)
    parameters.append([] as [UInt8])
    let rows = try echo(parameters)
    #expect(rows.text(0, 0) == "")
    #expect((1...9).allSatisfy { rows.isNull(0, $0) })
    #expect(!rows.isNull(0, 10) && rows.bytes(0, 10) == [])
  }

  @Test func `a column of NULLs is sent empty to an unnest, which returns them`() throws {
    var (numbers, absent, mixed, empty) = (Int64Column(), Int32Column(), TextColumn(), TextColumn())
    for number in [7, 8] as [Int64] {
      numbers.append(number)
      absent.append(nil)
      mixed.append(number == 7 ? nil : "x")
      empty.append("")
    }
    let parameters = Parameters(unnesting: absent, numbers, mixed, empty)
    let sizes = try connection.run(
      Statement("sizes", "SELECT cardinality($1), cardinality($2), cardinality($3), cardinality($4)"), parameters)
    #expect((0..<4).map { sizes.int32(0, $0) } == [0, 2, 2, 2])
    let rows = try connection.run(
      Statement("unnested", "SELECT * FROM unnest($1, $2, $3, $4) AS t(a, b, c, d)"), parameters)
    #expect(rows.count == 2 && (0..<2).allSatisfy { rows.isNull($0, 0) })
    #expect((0..<2).map { rows.int64($0, 1) } == [7, 8])
    #expect(rows.isNull(0, 2) && rows.text(1, 2) == "x")
    #expect((0..<2).map { rows.text($0, 3) } == ["", ""])
    // Elsewhere NULLs are elements.
    #expect(try echo(Parameters(absent)).count == 1)
    #expect(try connection.run(Statement("size", "SELECT cardinality($1)"), Parameters(absent)).int32(0, 0) == 2)
  }

  @Test func `parameters can be emptied and filled again`() throws {
    var parameters = Parameters()
    parameters.append("a\0")
    #expect(parameters.refusal != nil)
    parameters.removeAll()
    #expect(parameters.refusal == nil && parameters.count == 0)
    parameters.append("b")
    #expect(try echo(parameters).text(0, 0) == "b")
  }

  @Test func `a time that PostgreSQL cannot hold is refused, not turned into infinity`() throws {
    var parameters = Parameters()
    parameters.append(Timestamp.min)
    let error = try #require(throws: PostgresError.self) { try echo(parameters) }
    #expect(error.sqlState?.rawValue == "22008")
  }

  // MARK: Columns

  private func columns(rows: [Int]) -> Parameters {
    var int64s = Int64Column()
    var int32s = Int32Column()
    var int16s = Int16Column()
    var bools = BoolColumn()
    var texts = TextColumn()
    var bytes = BytesColumn()
    var uuids = UUIDColumn()
    var timestamps = TimestampColumn()
    var jsons = JSONColumn()
    for row in rows {
      let isNull = row % 3 == 0
      int64s.append(isNull ? nil : Int64(row))
      int32s.append(isNull ? nil : Int32(row))
      int16s.append(isNull ? nil : Int16(row))
      bools.append(isNull ? nil : row % 2 == 0)
      texts.append(isNull ? nil : "t\(row)")
      bytes.append(isNull ? nil : [UInt8](repeating: 7, count: row))
      uuids.append(isNull ? nil : UUIDValue(high: 1, low: UInt64(row)))
      timestamps.append(isNull ? nil : Timestamp(microseconds: Int64(row)))
      jsons.append(isNull ? nil : "[\(row)]")
    }
    #expect(texts.count == rows.count)
    return Parameters(int64s, int32s, int16s, bools, texts, bytes, uuids, timestamps, jsons)
  }

  private let unnest = Statement("unnest", "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)")

  @Test func `columns of every kind come back row by row, NULLs included`() throws {
    let result = try connection.run(unnest, columns(rows: Array(1...10)))
    #expect(result.count == 10)
    for row in 1...10 {
      let index = row - 1
      guard row % 3 != 0 else {
        #expect((0..<9).allSatisfy { result.isNull(index, $0) })
        continue
      }
      #expect(result.int64(index, 0) == Int64(row))
      #expect(result.int32(index, 1) == Int32(row))
      #expect(result.int16(index, 2) == Int16(row))
      #expect(result.bool(index, 3) == (row % 2 == 0))
      #expect(result.text(index, 4) == "t\(row)")
      #expect(result.bytes(index, 5).count == row)
      #expect(result.uuid(index, 6) == UUIDValue(high: 1, low: UInt64(row)))
      #expect(result.timestamp(index, 7) == Timestamp(microseconds: Int64(row)))
      #expect(result.text(index, 8) == "[\(row)]")
    }
  }

  @Test func `empty columns are empty arrays`() throws {
    #expect(try connection.run(unnest, columns(rows: [])).count == 0)
  }

  @Test func `a column is used again after it was emptied`() throws {
    var column = TextColumn()
    column.append("a\0")
    #expect(column.containsNUL)
    column.removeAll()
    column.append("b")
    var parameters = Parameters()
    parameters.append(column)
    let rows = try connection.run(Statement("texts", "SELECT unnest($1)"), parameters)
    #expect(rows.count == 1 && rows.text(0, 0) == "b")
  }

  @Test func `a column with U+0000 in one value is refused`() throws {
    var column = TextColumn()
    column.append("fine")
    column.append("not\0fine")
    var parameters = Parameters()
    parameters.append(column)
    let error = try #require(throws: PostgresError.self) { try connection.run(Statement("t", "SELECT $1"), parameters) }
    #expect(error.sqlState == .characterNotInRepertoire)
  }
}
