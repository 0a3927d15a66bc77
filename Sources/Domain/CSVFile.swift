/// Parses an audience from a CSV file: one user per line, with personal values for each.
///
/// Without a header the columns are `CUID,NAME[,VAR1 … VAR9]`. If the first line begins with `CUID` (or `clientUid`),
/// it is a header and names the columns, the others in any order: `NAME` (or `CNAME`, `clientName`), `VAR1` … `VAR9`.
/// If a user occurs in several valid lines, only the first one counts.
///
/// The file is read in parts of any size (`CSVReader`). Of each user only a hash is kept, to detect duplicates.
package struct CSVFile: Sendable {
  package struct Line: Equatable, Sendable {
    package let user: UserKey
    package let name: String
    /// Values of `%VAR1%` …, up to the last one that the line has; empty for an empty or missing field.
    package let variables: [String]
  }

  package struct Fault: Equatable, Sendable {
    /// Line number, counted from 1.
    package let line: Int
    package let reason: Sentence
  }

  /// Number of valid lines so far, each with a different user.
  package private(set) var lineCount = 0
  package private(set) var faults: [Fault] = []
  /// Total number of faulty lines so far; `faults` contains only the first `csvFaults`.
  package private(set) var faultCount = 0
  package private(set) var duplicates = 0

  private var seen: Set<UserMark> = []
  private var columns: [Column] = [.user, .name] + (1...9).map(Column.variable)
  /// Beginning of a record whose end has not arrived yet.
  private var rest: [UInt8] = []
  /// Number of lines read so far, without those in `rest`.
  private var passed: Int64 = 0
  private var isFirst = true

  package init() {}

  /// Parses the next part of the file: UTF-8, with or without a byte order mark at the start of the file.
  /// - Parameter isLast: true if no more parts follow. Then this must not be called again.
  /// - Returns: the valid lines that this part completes. Faulty lines are added to `faults`, and repeated users are
  ///   counted in `duplicates`.
  /// - Throws: `.impossible` for an invalid header, `.bodyTooLarge` if a line follows after `csvLines` users.
  package mutating func read(_ part: [UInt8], isLast: Bool) throws(Problem) -> [Line] {
    let reader = CSVReader(rest + part, passed: passed, isLast: isLast)
    (rest, passed) = (reader.rest, reader.passed)
    var lines: [Line] = []
    for line in reader.lines {
      if let line = try take(line) { lines.append(line) }
    }
    if isLast { seen = [] }
    return lines
  }

  private mutating func take(_ line: CSVReader.Line) throws(Problem) -> Line? {
    defer { isFirst = false }
    let number = Int(line.number)
    guard case .fields(let fields) = line.record else {
      if case .faulty(let reason) = line.record { refuse(number, reason) }
      return nil
    }
    if isFirst, let first = fields.first, Self.column(first) == .user {
      columns = try Self.header(fields)
      return nil
    }
    guard lineCount < Domain.Limits.csvLines else {
      throw Problem(
        .bodyTooLarge, "The file has more than \(Domain.Limits.csvLines) lines. Split it into several sends.")
    }
    return self.line(number, fields)
  }

  private enum Column: Equatable {
    case user
    case name
    case variable(Int)
  }

  private static func column(_ field: String) -> Column? {
    switch CSVHeader.match(field, in: ["clientUid", "clientName"]) {
    case "clientUid": .user
    case "clientName": .name
    default: (1...9).first { CSVHeader.plain(field) == "var\($0)" }.map(Column.variable)
    }
  }

  private static func header(_ fields: [String]) throws(Problem) -> [Column] {
    var columns: [Column] = []
    for field in fields {
      guard let column = column(field), !columns.contains(column) else {
        throw Problem(
          .impossible, at: "/lines/1",
          "has the column \"\(field)\"; there may be CUID, NAME and VAR1 to VAR9, each once")
      }
      columns.append(column)
    }
    return columns
  }

  private mutating func line(_ number: Int, _ fields: [String]) -> Line? {
    guard fields.count <= columns.count else {
      return refuse(number, "has \(fields.count) fields; there may be \(columns.count)")
    }
    var (user, name) = ("", "")
    var variables: [String] = []
    for (column, field) in zip(columns, fields) {
      switch column {
      // Exports write an apostrophe before a CUID such as +82101234567. They write no values of variables.
      case .user: user = CSVFormula.read(field)
      case .name: name = CSVFormula.read(field)
      case .variable(let variable):
        guard field.utf8.count <= Domain.Limits.variableBytes else {
          return refuse(number, "has a VAR\(variable) longer than \(Domain.Limits.variableBytes) bytes")
        }
        while variables.count < variable { variables.append("") }
        variables[variable - 1] = field
      }
    }
    guard (1...Domain.Limits.clientUIDBytes).contains(user.utf8.count) else {
      return refuse(number, "needs a CUID of 1 to \(Domain.Limits.clientUIDBytes) bytes")
    }
    guard user != UserKey.guestUID else { return refuse(number, "names GUEST, which is nobody") }
    guard name.utf8.count <= Domain.Limits.clientNameBytes else {
      return refuse(number, "has a NAME longer than \(Domain.Limits.clientNameBytes) bytes")
    }
    let line = Line(user: UserKey(clientUID: user), name: name, variables: variables)
    guard seen.insert(UserMark(line.user)).inserted else {
      duplicates += 1
      return nil
    }
    lineCount += 1
    return line
  }

  @discardableResult
  private mutating func refuse(_ line: Int, _ reason: Sentence) -> Line? {
    faultCount += 1
    if faults.count < Domain.Limits.csvFaults { faults.append(Fault(line: line, reason: reason)) }
    return nil
  }

  /// A 128-bit hash of a user, kept instead of the user's id, of which there may be a million. It is keyed with a
  /// random key of this process, so that nobody can construct two users with the same hash.
  private struct UserMark: Hashable {
    let first: Int
    let second: Int

    init(_ user: UserKey) {
      var hasher = Hasher()
      hasher.combine(user)
      first = hasher.finalize()
      hasher = Hasher()
      hasher.combine(1)
      hasher.combine(user)
      second = hasher.finalize()
    }
  }
}

extension Domain.Limits {
  static let csvLines = 1_000_000
  /// Maximum number of faulty lines reported individually.
  static let csvFaults = 100
}
