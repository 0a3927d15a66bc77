internal import Domain

/// Which of two encodings a file is written in, UTF-8 or CP949: what more of its lines are that say it. A file where all is
/// UTF-8 is UTF-8, whatever else it could be; a line that is in neither says nothing.
///
/// Bytes of the one may happen to be text in the other, so one line must not decide on all: it is told, and the others are
/// read as what they are.
struct CSVEncoding {
  /// Lines that are UTF-8, beyond ASCII.
  private var inUTF8 = 0
  /// Lines that are CP949, and no UTF-8.
  private var inKorean = 0
  /// What the first of them is.
  private var beginsKorean = false

  /// Looks through a file; twice when it is not UTF-8 all through.
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

  /// Returns the encoding of whole lines; nil when they are ASCII, or neither.
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

  /// Whether a line of a file in CP949 is that too. Letters of Korean take three bytes of UTF-8: a line of those is no
  /// CP949, even where its bytes could be.
  static func isKorean(line: ArraySlice<UInt8>) -> Bool {
    guard KoreanCodePage.isText(line) else { return false }
    return !line.contains { $0 >= 0xE0 } || String(validating: line, as: UTF8.self) == nil
  }

  /// - Throws: `.impossible` for a file that begins with the byte order mark of UTF-16.
  static func refuseUTF16(_ start: some Sequence<UInt8>) throws(Problem) {
    guard start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) else { return }
    throw Problem(.impossible, "The file is UTF-16. Save it as UTF-8 (\"CSV UTF-8\" in a spreadsheet).")
  }
}
