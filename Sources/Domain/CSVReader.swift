internal import PlainText

/// Parses comma-separated values (RFC 4180) from UTF-8 that arrives in pieces, one record at a time. Used for all CSV
/// files.
///
/// ```
///   piece ──► rest of the last piece + piece ──► records, each with the number of its first line
///                                       └──► rest: a record whose end has not arrived
/// ```
/// - A byte order mark at the start is skipped. Lines end with LF, CRLF or CR; lines without text are ignored.
/// - Fields with commas, quotes or line breaks are enclosed in double quotes, with inner quotes doubled. Blanks and
///   tabs around a field are removed; within quotes they are kept. A quote inside an unquoted field is an ordinary
///   character.
/// - A faulty record is reported with the number of its first line, and parsing continues after it. A quote that is
///   never closed would swallow the file, so a record is limited to `Limits.csvRecordBytes`. If its end is not found
///   within this limit or the file, only the line on which it begins is reported as faulty, and parsing continues with
///   the next line.
///
/// The result does not depend on how the file is divided into pieces.
package struct CSVReader {
  package enum Record: Equatable, Sendable {
    case fields([String])
    /// The record is invalid; the text continues a sentence that starts with "The line".
    case faulty(Sentence)
  }

  package struct Line: Equatable, Sendable {
    /// Number of the record's first line in the file, counted from 1.
    package let number: Int64
    /// The record's bytes without its line break; of a line that is too long, only the first `csvRecordBytes`.
    package let bytes: ArraySlice<UInt8>
    package let record: Record

    package var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Complete records, valid or faulty, in the order of the file.
  package private(set) var lines: [Line] = []
  /// Bytes to prepend to the next piece: the beginning of a record whose end has not arrived, or of a line that is too
  /// long.
  package private(set) var rest: [UInt8] = []
  /// Number of lines of the file read so far, to pass with the next piece.
  package private(set) var passed: Int64
  /// Number of leading bytes of those passed to `init` that are completely parsed and not needed any more.
  package private(set) var taken = 0

  private let bytes: [UInt8]
  private let isLast: Bool

  /// Parses the complete records of a piece of a file.
  /// - Parameters:
  ///   - bytes: the `rest` of the previous piece, followed by the new piece.
  ///   - passed: number of lines before `bytes`.
  ///   - isLast: true if the file ends here, with or without a line break.
  package init(_ bytes: [UInt8], passed: Int64, isLast: Bool) {
    self.bytes = bytes
    self.passed = passed
    self.isLast = isLast
    var start = 0
    if passed == 0, bytes.starts(with: Self.byteOrderMark) { start = Self.byteOrderMark.count }
    while let next = take(from: start) { start = next }
    taken = start
    // Store enough to detect a line that is too long; the remainder of such a line is dropped, but not a CR that ends
    // it, because only the next piece shows whether a LF follows.
    var kept = Array(bytes[start...].prefix(Domain.Limits.csvRecordBytes + 2))
    if start + kept.count < bytes.count, bytes.last == 0x0D { kept[kept.count - 1] = 0x0D }
    rest = kept
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Parses the record at a position, appends it to `lines` unless it is empty, and counts its lines.
  /// - Returns: the position of the next record; nil if no complete record follows.
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
      // Report the line on which the record begins as faulty, and parse the following lines normally.
      guard let end = bytes[start...].firstIndex(where: Self.endsLine) ?? (isLast ? bytes.count : nil),
        let next = behindLineEnd(end)
      else { return nil }
      give(up: start..<end, scan)
      return next
    }
  }

  package static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// Returns the position after the line break at `end`; nil if more bytes are needed, because the line is not complete
  /// or a CR may be followed by LF.
  private func behindLineEnd(_ end: Int) -> Int? {
    guard end < bytes.count else { return isLast ? end : nil }
    guard bytes[end] == 0x0D else { return end + 1 }
    guard end + 1 < bytes.count else { return isLast ? end + 1 : nil }
    return bytes[end + 1] == 0x0A ? end + 2 : end + 1
  }

  private mutating func give(up range: Range<Int>, _ scan: Scan) {
    passed += 1
    let most = Domain.Limits.csvRecordBytes
    let fault: Sentence =
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

  /// The error for bytes that are not valid text. Decoders of other encodings (CP949) pass such lines on unchanged.
  package static let wrongEncoding: Sentence =
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

/// Parses one record, field by field. After `run`, `fields` and `fault` contain the result.
private struct Scan {
  enum Outcome {
    /// The record ends at this position, which is its line break or the end of the bytes.
    case ended(Int)
    /// The bytes end, but the record may continue.
    case cut
    case tooLong
  }

  private let bytes: [UInt8]
  private var index: Int
  /// End of the longest allowed record, plus one byte for its line break.
  private let bound: Int
  private(set) var fields: [String] = []
  private(set) var fault: Sentence?
  /// Number of line breaks within the record.
  private(set) var lineBreaks = 0
  /// True if the bytes or the limit ended within quotes.
  private(set) var isQuoted = false
  private(set) var isASCII = true
  private(set) var hasNUL = false

  init(_ bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    index = start
    bound = min(bytes.count, start + Domain.Limits.csvRecordBytes + 1)
    isWhole = bound == bytes.count && bytes.count - start <= Domain.Limits.csvRecordBytes
  }

  /// True if all remaining bytes fit into the longest allowed record, so that a record without end is cut off and not
  /// too long.
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

  /// The result at the end of the bytes. Whether the record ends there is decided by the caller, which looks for the
  /// line break.
  private var end: Outcome { isWhole ? .ended(index) : .tooLong }

  /// Marks the record as faulty and skips it to the next line break, without parsing quotes.
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

  /// Parses a quoted field. Returns false if the closing quote does not occur before the bytes or the limit end.
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

  /// Appends a quoted field and skips to the comma or line break that follows. Other text before it is a fault of the
  /// record.
  private mutating func close(_ field: [UInt8]) {
    fields.append(String(decoding: field, as: UTF8.self))
    skipBlanks()
    let start = index
    while index < bound, bytes[index] != 0x2C, !CSVReader.endsLine(bytes[index]) { note(bytes[index]) }
    if index > start, fault == nil { fault = "has text behind a closing quote" }
  }
}

extension Domain.Limits {
  /// Maximum size of a record in bytes, including quotes. The longest valid line of an audience has less than a third
  /// of it, even if every character is a doubled quote.
  package static let csvRecordBytes = 65_536
  /// Maximum number of fields in a record, more than any real table has; a record with more is faulty.
  package static let csvFields = 1_000
}
