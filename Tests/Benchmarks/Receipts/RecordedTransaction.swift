internal import Domain
internal import Operations
internal import Postgres
internal import Reactor
internal import Store

/// The SQL that the product runs for one operation, written as a script for pgbench: the same statements, in the same
/// order and transaction, for one row.
///
/// The operation is executed once, for a sample device, and each statement is recorded with its parameters as text.
/// Values of the sample (token, user, SEQNO …) are then replaced by expressions over pgbench's variables; the device's
/// id comes from the first statement's result, as in the product.
struct RecordedTransaction {
  /// Values of the sample and their replacements in the script.
  typealias Substitutes = [String: String]

  private(set) var lines: [String] = []

  init(_ operation: Operation, _ substitutes: Substitutes, policies: AppPolicies, on connection: Connection) throws {
    let batch = OperationBatch(
      [operation], writer: 1, node: UUIDValue(high: 0, low: 0), policies: policies,
      now: SystemClock().wallTime, readAt: SystemClock().now)
    while let round = batch.next() {
      if round.begins {
        lines.append("BEGIN;")
        try connection.run(.begin)
      }
      for step in round.steps {
        lines.append(try Self.script(step, substitutes, on: connection))
        step.read(try connection.run(step.statement, step.parameters))
      }
      if round.commits {
        lines.append("COMMIT;")
        try connection.run(.commit)
      }
    }
    for case .failure(let problem) in batch.results { throw MeasuringError("could not record: \(problem.detail)") }
  }

  /// A statement with its parameters inlined.
  private static func script(_ step: Step, _ substitutes: Substitutes, on connection: Connection) throws -> String {
    var sql = step.statement.sql
    let values = try texts(step, on: connection)
    // In descending order, because $1 is a prefix of $10.
    var substitutes = substitutes
    // The statement that returns the device's id cannot take it as a parameter; for a known token only the present
    // owner matters.
    if step.statement.name == "tokens-lock" { substitutes = substitutes.filter { $0.value != ":device" } }
    for (index, value) in values.enumerated().reversed() {
      let type = try typeName(step.parameters.types[index])
      sql = sql.replacing("$\(index + 1)", with: literal(value, type, substitutes))
    }
    // Comments would swallow the lines that pgbench joins to them.
    sql = sql.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(separator: "\n")
    switch step.statement.name {
    case "confirmations-resolve": return "WITH found (entry, app, device, present) AS (\n\(sql)\n) TABLE found \\gset"
    case "tokens-lock": return "\(sql) \\gset"
    default: return "\(sql);"
    }
  }

  /// PostgreSQL itself converts the binary parameters to text.
  private static func texts(_ step: Step, on connection: Connection) throws -> [String?] {
    guard step.parameters.count > 0 else { return [] }
    let columns = (1...step.parameters.count).map { "$\($0)::text" }.joined(separator: ", ")
    let rows = try connection.run(Statement("text-of-\(step.statement.name)", "VALUES (\(columns))"), step.parameters)
    return (0..<step.parameters.count).map { rows.isNull(0, $0) ? nil : rows.text(0, $0) }
  }

  private static func literal(_ value: String?, _ type: String, _ substitutes: Substitutes) -> String {
    guard let value else { return "NULL::\(type)" }
    guard type.hasSuffix("[]") else { return "(\(scalar(value, type, substitutes)))::\(type)" }
    let element = value.dropFirst().dropLast()
    if element.isEmpty { return "'{}'::\(type)" }
    if element == "NULL" { return "ARRAY[NULL]::\(type)" }
    let isQuoted = element.first == "\"" && element.last == "\""
    let text = isQuoted ? String(element.dropFirst().dropLast()).replacing("\\", with: "") : String(element)
    return "ARRAY[\(scalar(text, type, substitutes))]::\(type)"
  }

  /// A SEQNO is small and may equal other numbers, so only values of the widest type are treated as SEQNOs.
  private static func scalar(_ text: String, _ type: String, _ substitutes: Substitutes) -> String {
    let isOtherNumber = Int64(text) != nil && !type.hasPrefix("int8")
    let substitute = isOtherNumber ? nil : substitutes[text]
    return substitute ?? "'\(text.replacing("'", with: "''"))'"
  }

  private static func typeName(_ type: OID) throws -> String {
    let names: [OID: String] = [
      .bool: "bool", .int2: "int2", .int4: "int4", .int8: "int8", .text: "text", .uuid: "uuid", .bytea: "bytea",
      .timestamptz: "timestamptz", .jsonb: "jsonb", .boolArray: "bool[]", .int2Array: "int2[]", .int4Array: "int4[]",
      .int8Array: "int8[]", .textArray: "text[]", .uuidArray: "uuid[]", .byteaArray: "bytea[]",
      .timestamptzArray: "timestamptz[]", .jsonbArray: "jsonb[]",
    ]
    guard let name = names[type] else {
      throw MeasuringError("pgbench: a parameter has the unknown type \(type.rawValue)")
    }
    return name
  }
}
