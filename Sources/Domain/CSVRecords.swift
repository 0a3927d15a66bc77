internal import PlainText

/// Splits the bytes of a CSV file into records (RFC 4180). Line ends may be CRLF, LF or CR. What is wrong with a record is
/// told with it; the next one begins after its line. Of bytes that go on elsewhere the last record may not be whole: it is
/// left.
struct CSVRecords {
  struct Record: Equatable {
    /// Where it begins, counted from 1.
    let line: Int
    let fields: [String]
    var fault: String?
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int
  /// Where the next record begins.
  private(set) var line: Int
  /// Bytes of the records that were given out.
  private(set) var consumed = 0
  private let isWhole: Bool

  /// - Parameters:
  ///   - line: the number of the first line.
  ///   - isWhole: nothing comes behind the bytes.
  init(_ bytes: ArraySlice<UInt8>, line: Int = 1, isWhole: Bool = true) {
    self.bytes = bytes
    self.line = line
    self.isWhole = isWhole
    position = bytes.startIndex
  }

  /// Nil at the end, and where a record may go on behind it.
  mutating func next() -> Record? {
    let firstLine = line
    guard position < bytes.endIndex, let record = read() else {
      line = firstLine
      return nil
    }
    consumed = position - bytes.startIndex
    return record
  }

  private mutating func read() -> Record? {
    var record = (line: line, fields: [String](), fault: String?.none)
    repeat {
      let field = bytes[position...].first == Self.quote ? quoted(&record.fault) : plain()
      if !field.isStreamSafe { record.fault = PlainText.objection }
      record.fields.append(field.streamSafe)
    } while takeComma()
    guard takeLineEnd() || isWhole else { return nil }
    return Record(line: record.line, fields: record.fields, fault: record.fault)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private mutating func plain() -> String {
    let start = position
    while position < bytes.endIndex, bytes[position] != Self.comma, !Self.endsLine(bytes[position]) { position += 1 }
    return Self.trimmed(bytes[start..<position])
  }

  /// Blanks around a field are nobody's name.
  private static func trimmed(_ field: ArraySlice<UInt8>) -> String {
    var field = field
    while field.first == 0x20 || field.first == 0x09 { field.removeFirst() }
    while field.last == 0x20 || field.last == 0x09 { field.removeLast() }
    return String(decoding: field, as: UTF8.self)
  }

  private mutating func quoted(_ fault: inout String?) -> String {
    position += 1
    var field: [UInt8] = []
    while position < bytes.endIndex {
      let byte = bytes[position]
      position += 1
      if byte != Self.quote {
        if byte == 0x0A { line += 1 }
        field.append(byte)
      } else if bytes[position...].first == Self.quote {
        field.append(byte)
        position += 1
      } else {
        // Only a comma or the line's end may follow.
        let rest = position
        while position < bytes.endIndex, bytes[position] != Self.comma, !Self.endsLine(bytes[position]) {
          position += 1
        }
        if position > rest { fault = "has text behind a closing quote" }
        return String(decoding: field, as: UTF8.self)
      }
    }
    fault = "has a quote that is never closed"
    return String(decoding: field, as: UTF8.self)
  }

  private mutating func takeComma() -> Bool {
    guard position < bytes.endIndex, bytes[position] == Self.comma else { return false }
    position += 1
    return true
  }

  /// False when the bytes end before it is certain where the line does.
  private mutating func takeLineEnd() -> Bool {
    guard position < bytes.endIndex else { return false }
    let isReturn = bytes[position] == 0x0D
    position += 1
    line += 1
    guard isReturn else { return true }
    guard position < bytes.endIndex else { return false }
    if bytes[position] == 0x0A { position += 1 }
    return true
  }
}
