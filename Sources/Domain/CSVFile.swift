/// An audience as a file: one user a line, with what differs between them.
///
/// Without a header the columns are `CUID,NAME[,VAR1 … VAR9]`. A first line that begins with `CUID` is a header and says
/// which columns there are, in any order: `CUID`, `NAME` (or `CNAME`), `VAR1` … `VAR9`. Fields with commas, quotes or line
/// breaks stand in double quotes, quotes within doubled (RFC 4180). A user in several lines counts once, as the first says.
package struct CSVFile: Equatable, Sendable {
  package struct Line: Equatable, Sendable {
    package let user: UserKey
    package let name: String
    /// For `%VAR1%` …, as many as are given; empty where a field is empty.
    package let variables: [String]
  }

  package struct Fault: Equatable, Sendable {
    /// Counted from 1, as editors do.
    package let line: Int
    package let reason: String
  }

  package private(set) var lines: [Line] = []
  package private(set) var faults: [Fault] = []
  /// How many faults there are; only the first are kept.
  package private(set) var faultCount = 0
  package private(set) var duplicates = 0

  private var seen: Set<UserKey> = []

  /// Reads UTF-8, with or without a byte order mark.
  /// - Throws: `.impossible` for a header that cannot be understood, `.bodyTooLarge` for too many lines.
  package init(_ bytes: [UInt8]) throws(Problem) {
    var records = CSVRecords(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...])
    var columns: [Column] = [.user, .name] + (1...9).map(Column.variable)
    var isFirst = true
    while let record = records.next() {
      if isFirst, record.fields.first?.uppercased() == "CUID" {
        columns = try Self.header(record.fields)
        isFirst = false
        continue
      }
      isFirst = false
      guard lines.count < Domain.Limits.csvLines else {
        throw Problem(
          .bodyTooLarge, "The file has more than \(Domain.Limits.csvLines) lines. Split it into several sends.")
      }
      take(record, columns)
    }
    seen = []
  }

  private enum Column: Equatable {
    case user
    case name
    case variable(Int)
  }

  private static func header(_ fields: [String]) throws(Problem) -> [Column] {
    var columns: [Column] = []
    for field in fields {
      let column: Column? =
        switch field.uppercased() {
        case "CUID": .user
        case "NAME", "CNAME": .name
        default: (1...9).first { field.uppercased() == "VAR\($0)" }.map(Column.variable)
        }
      guard let column, !columns.contains(column) else {
        throw Problem(
          .impossible, at: "/lines/1",
          "has the column \"\(field)\"; there may be CUID, NAME and VAR1 to VAR9, each once")
      }
      columns.append(column)
    }
    return columns
  }

  private mutating func take(_ record: CSVRecords.Record, _ columns: [Column]) {
    // An empty line at the end is no user.
    if record.fields == [""], record.fault == nil { return }
    if let reason = record.fault { return refuse(record.line, reason) }
    guard record.fields.count <= columns.count else {
      return refuse(record.line, "has \(record.fields.count) fields; there may be \(columns.count)")
    }
    var (user, name) = ("", "")
    var variables: [String] = []
    for (column, field) in zip(columns, record.fields) {
      guard !field.utf8.contains(0) else { return refuse(record.line, "holds U+0000") }
      switch column {
      case .user: user = field
      case .name: name = field
      case .variable(let number):
        guard field.utf8.count <= Domain.Limits.variableBytes else {
          return refuse(record.line, "has a VAR\(number) longer than \(Domain.Limits.variableBytes) bytes")
        }
        while variables.count < number { variables.append("") }
        variables[number - 1] = field
      }
    }
    guard (1...Domain.Limits.clientUIDBytes).contains(user.utf8.count) else {
      return refuse(record.line, "needs a CUID of 1 to \(Domain.Limits.clientUIDBytes) bytes")
    }
    guard user != UserKey.guestUID else { return refuse(record.line, "names GUEST, which is nobody") }
    guard name.utf8.count <= Domain.Limits.clientNameBytes else {
      return refuse(record.line, "has a NAME longer than \(Domain.Limits.clientNameBytes) bytes")
    }
    let line = Line(user: UserKey(clientUID: user), name: name, variables: variables)
    if seen.insert(line.user).inserted { lines.append(line) } else { duplicates += 1 }
  }

  private mutating func refuse(_ line: Int, _ reason: String) {
    faultCount += 1
    if faults.count < Domain.Limits.csvFaults { faults.append(Fault(line: line, reason: reason)) }
  }
}

extension Domain.Limits {
  package static let csvLines = 1_000_000
  /// Faults that are told one by one.
  package static let csvFaults = 100
}
