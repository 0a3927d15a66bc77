/// An audience as a file: one user a line, with what differs between them.
///
/// Without a header the columns are `CUID,NAME[,VAR1 … VAR9]`. A first line that begins with `CUID` is a header and says
/// which columns there are, in any order: `CUID`, `NAME` (or `CNAME`), `VAR1` … `VAR9`. Fields with commas, quotes or line
/// breaks stand in double quotes, quotes within doubled (RFC 4180). A user in several lines counts once, as the first says.
///
/// It is read part by part, however it is cut. What stays of a line is what tells its user from others.
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
  /// What a byte order mark, or a record of which the end has not come, began with.
  private var rest: [UInt8] = []
  private var nextLine = 1
  private var hasBegun = false
  private var isFirst = true
  /// A record was too long to be one: nothing behind it can be told from it.
  private var isBroken = false

  package init() {}

  /// Takes the next part of UTF-8, with or without a byte order mark at its beginning.
  /// - Parameter isLast: no more comes.
  /// - Returns: the lines that this part completes.
  /// - Throws: `.impossible` for a header that cannot be understood, `.bodyTooLarge` for too many lines.
  package mutating func read(_ part: [UInt8], isLast: Bool) throws(Problem) -> [Line] {
    guard !isBroken else { return [] }
    rest += part
    guard isLast || hasBegun || rest.count >= Self.byteOrderMark.count else { return [] }
    if !hasBegun, rest.starts(with: Self.byteOrderMark) { rest.removeFirst(Self.byteOrderMark.count) }
    hasBegun = true
    var records = CSVRecords(rest[...], line: nextLine, isWhole: isLast)
    var lines: [Line] = []
    while let record = records.next() {
      if let line = try take(record) { lines.append(line) }
    }
    rest.removeFirst(records.consumed)
    nextLine = records.line
    if rest.count > Domain.Limits.csvRecordBytes { breakOff() }
    if isLast { seen = [] }
    return lines
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private mutating func breakOff() {
    refuse(
      nextLine,
      "has more than \(Domain.Limits.csvRecordBytes) bytes, perhaps a quote that is never closed; nothing behind it was read"
    )
    isBroken = true
    rest = []
  }

  private mutating func take(_ record: CSVRecords.Record) throws(Problem) -> Line? {
    defer { isFirst = false }
    if isFirst, record.fields.first?.uppercased() == "CUID" {
      columns = try Self.header(record.fields)
      return nil
    }
    guard lineCount < Domain.Limits.csvLines else {
      throw Problem(
        .bodyTooLarge, "The file has more than \(Domain.Limits.csvLines) lines. Split it into several sends.")
    }
    return line(of: record)
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

  private mutating func line(of record: CSVRecords.Record) -> Line? {
    // An empty line at the end is no user.
    if record.fields == [""], record.fault == nil { return nil }
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
  /// The longest record, quotes and all; the longest fields that are allowed come to a third of it.
  package static let csvRecordBytes = 65_536
  /// Faults that are told one by one.
  package static let csvFaults = 100
}
