internal import Domain

/// Detects whether a file is UTF-8 or CP949 by counting its lines with non-ASCII bytes. A line that is valid UTF-8
/// counts for UTF-8, even if it would be valid CP949 too; another line that is valid CP949 counts for CP949. The
/// encoding with more lines wins; if both have equally many, that of the first of these lines.
///
/// Bytes in one encoding can happen to be valid in the other, so no single line decides for the whole file. In a file that
/// mixes encodings, lines that are invalid in the detected one are reported; so are lines of a CP949 file that are
/// probably UTF-8 (`isKorean`). Others are read in the detected encoding, even if they were written in the other.
struct CSVEncoding {
  /// Number of lines with non-ASCII bytes that are valid UTF-8.
  private var inUTF8 = 0
  /// Number of lines that are valid CP949 but not UTF-8.
  private var inKorean = 0
  /// Whether the first counted line is CP949, which decides if both numbers are equal.
  private var beginsKorean = false

  /// Detects the encoding of a file; UTF-8 if no line with non-ASCII bytes is valid in either encoding. Reads the file
  /// a second time unless it is UTF-8 throughout.
  /// - Parameter partBytes: number of bytes to read at a time.
  static func find(in file: ByteSource, partBytes: Int) throws(Problem) -> FileEncoding {
    var isUTF8 = true
    var pieces = CSVPieces(file, partBytes: partBytes)
    while isUTF8, let piece = try pieces.next() { isUTF8 = String(validating: piece, as: UTF8.self) != nil }
    guard !isUTF8 else { return .utf8 }
    var encoding = CSVEncoding()
    pieces = CSVPieces(file, partBytes: partBytes)
    while let piece = try pieces.next() { encoding.count(piece) }
    return encoding.verdict ?? .utf8
  }

  /// Returns the encoding of whole lines; nil if they are ASCII, or no line with other bytes is valid in either
  /// encoding.
  static func find(in lines: ArraySlice<UInt8>) -> FileEncoding? {
    var encoding = CSVEncoding()
    encoding.count(lines)
    return encoding.verdict
  }

  private var verdict: FileEncoding? {
    guard inUTF8 + inKorean > 0 else { return nil }
    return inKorean > inUTF8 || inKorean == inUTF8 && beginsKorean ? .cp949 : .utf8
  }

  private mutating func count(_ piece: some Collection<UInt8>) {
    for line in piece.split(whereSeparator: CSVReader.endsLine) where line.contains(where: { $0 >= 0x80 }) {
      if String(validating: line, as: UTF8.self) != nil {
        inUTF8 += 1
      } else if KoreanCodePage.isText(line) {
        if inUTF8 + inKorean == 0 { beginsKorean = true }
        inKorean += 1
      }
    }
  }

  /// Returns whether a line in a CP949 file is to be decoded as CP949. False if it is not valid CP949. Also false if it
  /// is valid UTF-8 with letters of three or more bytes, as Korean ones are, even if it is valid CP949 too.
  static func isKorean(line: ArraySlice<UInt8>) -> Bool {
    guard KoreanCodePage.isText(line) else { return false }
    return !line.contains { $0 >= 0xE0 } || String(validating: line, as: UTF8.self) == nil
  }

  /// Throws `.impossible` if `start`, the first bytes of a file, begins with a UTF-16 byte order mark.
  static func refuseUTF16(_ start: some Sequence<UInt8>) throws(Problem) {
    guard start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) else { return }
    throw Problem(.impossible, "The file is UTF-16. Save it as UTF-8 (\"CSV UTF-8\" in a spreadsheet).")
  }
}
