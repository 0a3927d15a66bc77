package import Domain
package import Postgres

/// A file's bytes as text: UTF-8, or what spreadsheets on Korean Windows write (CP949, a superset of EUC-KR).
enum CSVText {
  /// Returns the file as UTF-8, and its original encoding. A UTF-8 file is returned as it is; a CP949 file is decoded
  /// as a whole into memory.
  /// - Throws: `.impossible` if the file is empty or UTF-16.
  static func decode(
    _ bytes: ByteSource, on connection: Connection
  ) throws(Problem) -> (text: ByteSource, encoding: FileEncoding) {
    var parts = try CSVParts(bytes, on: connection)
    guard parts.encoding == .cp949 else { return (bytes, parts.encoding) }
    var text: [UInt8] = []
    while let part = try parts.next() { text += part.bytes }
    return (ByteSource(text), parts.encoding)
  }
}

/// Reads a file part by part as UTF-8, whether it is UTF-8 or CP949 (`CSVEncoding`), with at most one part in memory.
/// Lines that are invalid in the file's encoding are also invalid in the parts, so `CSVReader` reports them like any
/// other.
package struct CSVParts {
  package struct Part: Sendable {
    package let bytes: [UInt8]
    package let isLast: Bool
  }

  package let encoding: FileEncoding
  /// Number of bytes of the file that have been read, not counting the detection of its encoding.
  package var offset: Int { isKorean ? pieces.offset : plainOffset }
  private let file: ByteSource
  private let connection: Connection
  private let partBytes: Int
  private var plainOffset = 0
  private var pieces: CSVPieces

  private var isKorean: Bool { encoding == .cp949 }

  /// Reads the file to detect its encoding; the parts are then read from the beginning.
  /// - Parameter partBytes: size of the parts of a UTF-8 file, except the last. The parts of a CP949 file end at line
  ///   ends, so they can be smaller or larger.
  /// - Throws: `.impossible` if the file is empty or UTF-16.
  package init(
    _ file: ByteSource, on connection: Connection, partBytes: Int = Operations.Limits.partBytes
  ) throws(Problem) {
    let start = try file.part(at: 0, 2)
    guard !start.isEmpty else { throw Problem(.impossible, "The file is empty.") }
    try CSVEncoding.refuseUTF16(start)
    self.file = file
    self.connection = connection
    self.partBytes = partBytes
    // A byte order mark means UTF-8.
    encoding = start == [0xEF, 0xBB] ? .utf8 : try CSVEncoding.find(in: file, partBytes: partBytes)
    // Two bytes of CP949 become up to three bytes of UTF-8.
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
    do throws(PostgresError) {
      return try CP949Lines.decode(piece, on: connection)
    } catch {
      throw Problem(error)
    }
  }
}
