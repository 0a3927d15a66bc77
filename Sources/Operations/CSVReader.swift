internal import PlainText

/// Reads comma-separated lines (RFC 4180) out of a file that comes in pieces, a record at a time.
///
/// ```
///   piece ──► rest of the last piece + piece ──► records, each with the number of its first line
///                                       └──► rest: a record whose end has not come yet
/// ```
/// What is wrong with one record is told with its line, and reading goes on with the next line: one bad line costs one
/// line. A quote that is never closed would swallow the file, so a record has at most `Limits.csvRecordBytes`.
struct CSVReader {
  enum Record: Equatable {
    case fields([String])
    /// What is wrong with it, in words.
    case faulty(String)
  }

  struct Line: Equatable {
    /// In the file, from 1.
    let number: Int64
    /// As it stands there.
    let text: String
    let record: Record
  }

  /// Complete records, in their order; empty lines are left out.
  private(set) var lines: [Line] = []
  /// What belongs to the next piece.
  private(set) var rest: [UInt8] = []
  /// Line breaks that were passed.
  private(set) var passed: Int64

  /// - Parameters:
  ///   - bytes: the rest of the piece before, and the piece.
  ///   - passed: lines that came before them.
  ///   - isLast: the file ends here, with or without a line break.
  init(_ bytes: [UInt8], passed: Int64, isLast: Bool) {
    self.passed = passed
    var start = 0
    if passed == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    while start < bytes.count {
      let scan = Self.scan(bytes, from: start)
      guard let end = scan.end ?? (isLast ? bytes.count : nil) else {
        // Longer than a record may be without an end: the quote was a mistake. Give up this line only.
        guard bytes.count - start > Operations.Limits.csvRecordBytes else { break }
        let stop = bytes[start...].firstIndex(of: 10) ?? bytes.count - 1
        add(bytes[start...stop], faulty: "has a quote that is not closed, or is too long")
        start = stop + 1
        continue
      }
      if scan.end == nil, scan.isQuoted {
        // The file ends within quotes: the line where they began is at fault, the others are read as they stand.
        let stop = bytes[start...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
        add(bytes[start..<stop], faulty: "has a quote that is not closed")
        start = stop
        continue
      }
      add(bytes[start..<end])
      start = end
    }
    rest = Array(bytes[min(start, bytes.count)...])
  }

  /// Where the record ends, behind its line break; nil: not in these bytes.
  private static func scan(_ bytes: [UInt8], from start: Int) -> (end: Int?, isQuoted: Bool) {
    var isQuoted = false
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case 0x22: isQuoted.toggle()
      case 10 where !isQuoted: return (index + 1, false)
      default: break
      }
      index += 1
    }
    return (nil, isQuoted)
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, faulty: String? = nil) {
    let number = passed + 1
    passed += Int64(bytes.count { $0 == 10 })
    if bytes.last != 10 { passed += 1 }
    var record = bytes
    if record.last == 10 { record = record.dropLast() }
    if record.last == 13 { record = record.dropLast() }
    guard !record.isEmpty else { return }
    let text = String(decoding: record, as: UTF8.self)
    let fields: Record =
      if let faulty {
        .faulty(faulty)
      } else if record.count > Operations.Limits.csvRecordBytes {
        .faulty("is too long")
      } else if String(validating: record, as: UTF8.self) == nil {
        .faulty("is not UTF-8")
      } else if !text.isStreamSafe {
        .faulty(PlainText.objection)
      } else if record.contains(0) {
        .faulty("holds a NUL, which cannot be stored")
      } else {
        Self.fields(record)
      }
    lines.append(Line(number: number, text: text, record: fields))
  }

  private static func fields(_ bytes: ArraySlice<UInt8>) -> Record {
    var fields: [String] = []
    var field: [UInt8] = []
    var index = bytes.startIndex
    var (isQuoted, wasQuoted) = (false, false)
    func end() {
      fields.append(String(decoding: field, as: UTF8.self))
      field.removeAll()
      wasQuoted = false
    }
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
      switch byte {
      case 0x22 where isQuoted:
        if index < bytes.endIndex, bytes[index] == 0x22 {
          field.append(0x22)
          index += 1
        } else {
          isQuoted = false
        }
      case _ where isQuoted: field.append(byte)
      case 0x22 where field.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
      case 0x2C: end()
      default:
        guard !wasQuoted else { return .faulty("has something after a closing quote") }
        field.append(byte)
      }
    }
    end()
    return .fields(fields)
  }
}

extension Operations.Limits {
  /// One line of a file of people: the longest names, and room.
  static let csvRecordBytes = 16_384
}
