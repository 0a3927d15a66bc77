internal import PlainText

/// Reads comma-separated lines (RFC 4180) out of UTF-8 that comes in pieces, a record at a time. All files are read by it.
///
/// ```
///   piece ──► rest of the last piece + piece ──► records, each with the number of its first line
///                                       └──► rest: a record whose end has not come yet
/// ```
/// - A byte order mark at the beginning is passed over. Lines end with LF, CRLF or CR; empty ones are left out.
/// - Fields with commas, quotes or line breaks stand in double quotes, quotes within doubled. Blanks and tabs around a field
///   are nobody's name: they go, those within quotes stay. A quote within a field that does not begin with one is a letter.
/// - What is wrong with a record is told with its line, and costs one line: reading goes on with the next one. A quote that
///   is never closed would swallow the file, so a record has at most `Limits.csvRecordBytes`; where its end is not found
///   within them, only the line where it begins is given up.
///
/// How the file is cut into pieces makes no difference.
package struct CSVReader {
  package enum Record: Equatable, Sendable {
    case fields([String])
    /// What is wrong with it, in words that go on behind "The line".
    case faulty(String)
  }

  package struct Line: Equatable, Sendable {
    /// In the file, from 1, as editors count.
    package let number: Int64
    /// As it stands there, without its line break.
    package let bytes: ArraySlice<UInt8>
    package let record: Record

    package var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Complete records, in their order.
  package private(set) var lines: [Line] = []
  /// What belongs to the next piece.
  package private(set) var rest: [UInt8] = []
  /// Line breaks that were passed.
  package private(set) var passed: Int64
  /// Bytes from the beginning that belong to nothing that is still to come.
  package private(set) var taken = 0

  private let bytes: [UInt8]
  private let isLast: Bool

  /// - Parameters:
  ///   - bytes: the rest of the piece before, and the piece.
  ///   - passed: lines that came before them.
  ///   - isLast: the file ends here, with or without a line break.
  package init(_ bytes: [UInt8], passed: Int64, isLast: Bool) {
    self.bytes = bytes
    self.passed = passed
    self.isLast = isLast
    var start = 0
    if passed == 0, bytes.starts(with: Self.byteOrderMark) { start = Self.byteOrderMark.count }
    while let next = take(from: start) { start = next }
    taken = start
    // Of a line that is too long already nothing but that is worth keeping.
    rest = Array(bytes[start...].prefix(Domain.Limits.csvRecordBytes + 2))
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Takes a record.
  /// - Returns: where the next one begins; nil when the bytes hold no more whole ones.
  private mutating func take(from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    var scan = Scan(bytes, from: start)
    switch scan.run() {
    case .ended(let end):
      guard let next = behindLineEnd(end) else { return nil }
      take(scan, start..<end)
      return next
    case .cut where !isLast: return nil
    case .cut, .tooLong:
      // The line where it began is at fault, the others are read as they stand.
      guard let end = bytes[start...].firstIndex(where: Self.endsLine) ?? (isLast ? bytes.count : nil),
        let next = behindLineEnd(end)
      else { return nil }
      give(up: start..<end, scan)
      return next
    }
  }

  package static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// Where the next line begins; nil when that is not certain yet: a CR may be half of a line end.
  private func behindLineEnd(_ end: Int) -> Int? {
    guard end < bytes.count else { return isLast ? end : nil }
    guard bytes[end] == 0x0D else { return end + 1 }
    guard end + 1 < bytes.count else { return isLast ? end + 1 : nil }
    return bytes[end + 1] == 0x0A ? end + 2 : end + 1
  }

  private mutating func give(up range: Range<Int>, _ scan: Scan) {
    passed += 1
    let most = Domain.Limits.csvRecordBytes
    let fault =
      !scan.isQuoted
      ? "has more than \(most) bytes"
      : scan.isWhole ? "has a quote that is never closed" : "has a quote that is not closed within \(most) bytes"
    lines.append(Line(number: passed, bytes: bytes[range].prefix(most), record: .faulty(fault)))
  }

  private mutating func take(_ scan: Scan, _ range: Range<Int>) {
    let number = passed + 1
    passed += Int64(scan.lineBreaks) + 1
    let record = bytes[range]
    guard !scan.isEmpty else { return }
    lines.append(Line(number: number, bytes: record, record: Self.judge(scan, record)))
  }

  /// Whoever decodes a file for it (CP949) leaves such a line as it is.
  package static let wrongEncoding =
    "is not text in the encoding of its file (UTF-8 or CP949): correct it, and save the file as UTF-8"

  private static func judge(_ scan: Scan, _ record: ArraySlice<UInt8>) -> Record {
    if !scan.isASCII {
      guard let text = String(validating: record, as: UTF8.self) else { return .faulty(wrongEncoding) }
      guard text.isStreamSafe else { return .faulty(PlainText.objection) }
    }
    if scan.hasNUL { return .faulty("holds U+0000, which cannot be stored") }
    if let fault = scan.fault { return .faulty(fault) }
    return .fields(scan.fields)
  }
}

/// One record, field by field.
private struct Scan {
  enum Outcome {
    /// Where its line ends, or the bytes.
    case ended(Int)
    /// The bytes end, and it may go on behind them.
    case cut
    case tooLong
  }

  private let bytes: [UInt8]
  private var index: Int
  /// Behind the last byte that it may have, and one more: that of its line end.
  private let bound: Int
  private(set) var fields: [String] = []
  private(set) var fault: String?
  /// Within it.
  private(set) var lineBreaks = 0
  /// It ended, or was cut, within quotes.
  private(set) var isQuoted = false
  private(set) var isASCII = true
  private(set) var hasNUL = false

  init(_ bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    index = start
    bound = min(bytes.count, start + Domain.Limits.csvRecordBytes + 1)
    isWhole = bound == bytes.count && bytes.count - start <= Domain.Limits.csvRecordBytes
  }

  /// The bytes end before it would be too long.
  let isWhole: Bool

  var isEmpty: Bool { fault == nil && (fields.isEmpty || fields.count == 1 && fields[0].utf8.isEmpty) }

  mutating func run() -> Outcome {
    while true {
      skipBlanks()
      if index < bound, bytes[index] == 0x22 {
        guard quoted() else { return isWhole ? .cut : .tooLong }
      } else {
        plain()
      }
      if fields.count > Domain.Limits.csvFields { return overfull() }
      guard index < bound else { return end }
      guard bytes[index] == 0x2C else { return .ended(index) }
      index += 1
    }
  }

  /// At the end of the bytes. Whether that is the end of the record, only the caller knows: it looks for its line break.
  private var end: Outcome { isWhole ? .ended(index) : .tooLong }

  /// What follows is not looked at any closer.
  private mutating func overfull() -> Outcome {
    fault = "has more than \(Domain.Limits.csvFields) fields"
    fields = []
    while index < bound, !CSVReader.endsLine(bytes[index]) { note(bytes[index]) }
    return index < bound ? .ended(index) : end
  }

  private mutating func note(_ byte: UInt8) {
    if byte >= 0x80 { isASCII = false }
    if byte == 0 { hasNUL = true }
    index += 1
  }

  private mutating func skipBlanks() {
    while index < bound, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
  }

  private mutating func plain() {
    let start = index
    while index < bound, bytes[index] != 0x2C, !CSVReader.endsLine(bytes[index]) { note(bytes[index]) }
    var end = index
    while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    fields.append(String(decoding: bytes[start..<end], as: UTF8.self))
  }

  /// False when the quote is not closed within the bytes.
  private mutating func quoted() -> Bool {
    isQuoted = true
    index += 1
    var start = index
    var field: [UInt8] = []
    while index < bound {
      let byte = bytes[index]
      if byte == 0x22 {
        field += bytes[start..<index]
        index += 1
        guard index < bound, bytes[index] == 0x22 else {
          isQuoted = false
          close(field)
          return true
        }
        start = index
      } else if byte == 0x0A || byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A) {
        lineBreaks += 1
      }
      note(byte)
    }
    return false
  }

  /// Behind a field's closing quote only a comma or the line's end may follow.
  private mutating func close(_ field: [UInt8]) {
    fields.append(String(decoding: field, as: UTF8.self))
    skipBlanks()
    let start = index
    while index < bound, bytes[index] != 0x2C, !CSVReader.endsLine(bytes[index]) { note(bytes[index]) }
    if index > start, fault == nil { fault = "has text behind a closing quote" }
  }
}

extension Domain.Limits {
  /// The longest record, quotes and all; the longest fields that are allowed come to a third of it.
  package static let csvRecordBytes = 65_536
  /// What no table has; more are not looked at.
  package static let csvFields = 1_000
}
