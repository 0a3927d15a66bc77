package import Domain
package import Postgres
internal import Store

/// What a file's bytes are as text: UTF-8, or what spreadsheets on Korean Windows write (CP949, of which EUC-KR is a part).
enum CSVText {
  /// The file as UTF-8. One in CP949 is decoded into memory.
  static func decode(
    _ bytes: ByteSource, on connection: Connection
  ) throws(Problem) -> (text: ByteSource, encoding: String) {
    var parts = try CSVParts(bytes, on: connection)
    guard parts.isKorean else { return (bytes, parts.encoding) }
    var text: [UInt8] = []
    while let part = try parts.next() { text += part.bytes }
    return (ByteSource(text), parts.encoding)
  }
}

/// A file part by part as UTF-8, whichever of the two it is written in (`CSVEncoding`); never more of it in memory than a
/// part. Lines that are not in its encoding are no text in the parts either, so they are told like any other (`CSVReader`).
package struct CSVParts {
  package struct Part: Sendable {
    package let bytes: [UInt8]
    package let isLast: Bool
  }

  let isKorean: Bool
  /// Bytes of the file that were read.
  package var offset: Int { isKorean ? pieces.offset : plainOffset }
  private let file: ByteSource
  private let connection: Connection
  private let partBytes: Int
  private var plainOffset = 0
  private var pieces: CSVPieces

  package var encoding: String { isKorean ? "CP949" : "UTF-8" }

  /// Looks through the file for its encoding.
  /// - Parameter partBytes: what a part has at most.
  package init(
    _ file: ByteSource, on connection: Connection, partBytes: Int = Operations.Limits.partBytes
  ) throws(Problem) {
    let start = try file.part(at: 0, 2)
    guard !start.isEmpty else { throw Problem(.impossible, "The file is empty.") }
    guard start != [0xFF, 0xFE], start != [0xFE, 0xFF] else {
      throw Problem(.impossible, "The file is UTF-16. Save it as UTF-8 (\"CSV UTF-8\" in a spreadsheet).")
    }
    self.file = file
    self.connection = connection
    self.partBytes = partBytes
    // A byte order mark says it.
    isKorean = start == [0xEF, 0xBB] ? false : try CSVEncoding.isKorean(file, partBytes: partBytes)
    // Two bytes of CP949 become three of UTF-8.
    pieces = CSVPieces(file, partBytes: max(1, partBytes / 2))
  }

  package mutating func next() throws(Problem) -> Part? {
    guard isKorean else {
      guard plainOffset < file.count else { return nil }
      let part = try file.part(at: plainOffset, partBytes)
      plainOffset += part.count
      return Part(bytes: part, isLast: plainOffset == file.count)
    }
    guard let piece = try pieces.next() else { return nil }
    return Part(bytes: try decode(piece), isLast: pieces.isAtEnd)
  }

  private func decode(_ piece: [UInt8]) throws(Problem) -> [UInt8] {
    var korean: [UInt8] = []
    korean.reserveCapacity(piece.count)
    var wrong: [(line: Int, bytes: ArraySlice<UInt8>)] = []
    Self.forEachLine(piece) { number, line, end in
      if CSVEncoding.isKorean(line: line) { korean += line } else { wrong.append((number, line)) }
      korean += end
    }
    let text: [UInt8]
    do throws(PostgresError) {
      text = try connection.run(CSVAudiences.decodeKorean(korean))
    } catch {
      throw Problem(error)
    }
    guard !wrong.isEmpty else { return text }
    var marked: [UInt8] = []
    var left = wrong[...]
    Self.forEachLine(text) { number, line, end in
      marked += line
      if let one = left.first, one.line == number {
        // A byte that no text has makes it wrong for certain, and is in the way of no quote.
        marked += one.bytes + [0xFF]
        left.removeFirst()
      }
      marked += end
    }
    return marked
  }

  /// Lends lines with their numbers from 0; CR and LF end one each, and the last one ends without.
  private static func forEachLine(
    _ bytes: [UInt8], _ body: (_ number: Int, _ line: ArraySlice<UInt8>, _ end: ArraySlice<UInt8>) -> Void
  ) {
    var (number, start) = (0, 0)
    for index in bytes.indices where CSVReader.endsLine(bytes[index]) {
      body(number, bytes[start..<index], bytes[index...index])
      (number, start) = (number + 1, index + 1)
    }
    body(number, bytes[start...], [])
  }
}
