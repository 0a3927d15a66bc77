/// An audience as a file: one user a line, with what differs between them.
///
/// Without a header the columns are `CUID,NAME[,VAR1 … VAR9]`. A first line that begins with `CUID` (or `clientUid`) is a
/// header and says which columns there are, in any order: `CUID`, `NAME` (or `CNAME`, `clientName`), `VAR1` … `VAR9`. A user
/// in several lines counts once, as the first says.
///
/// It is read part by part, however it is cut (`CSVReader`). What stays of a line is what tells its user from others.
package struct CSVFile: Sendable {
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

  /// Lines with a user of their own so far.
  package private(set) var lineCount = 0
  package private(set) var faults: [Fault] = []
  /// How many faults there are; only the first are kept.
  package private(set) var faultCount = 0
  package private(set) var duplicates = 0

  private var seen: Set<UserMark> = []
  private var columns: [Column] = [.user, .name] + (1...9).map(Column.variable)
  /// A record of which the end has not come.
  private var rest: [UInt8] = []
  /// Lines that were read.
  private var passed: Int64 = 0
  private var isFirst = true

  package init() {}

  /// Takes the next part of UTF-8, with or without a byte order mark at its beginning.
  /// - Parameter isLast: no more comes.
  /// - Returns: the lines that this part completes.
  /// - Throws: `.impossible` for a header that cannot be understood, `.bodyTooLarge` for too many lines.
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
      case .user: user = field
      case .name: name = field
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
  private mutating func refuse(_ line: Int, _ reason: String) -> Line? {
    faultCount += 1
    if faults.count < Domain.Limits.csvFaults { faults.append(Fault(line: line, reason: reason)) }
    return nil
  }

  /// 128 bits that stand for a user, so that a million names need not be remembered: hashed under a key that this process
  /// has drawn, so nobody can choose two that are the same.
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
  package static let csvLines = 1_000_000
  /// Faults that are told one by one.
  package static let csvFaults = 100
}
