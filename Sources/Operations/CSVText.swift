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

/// A file part by part as UTF-8, whichever of the two it is written in; never more of it in memory than a part. One that is
/// neither is taken for UTF-8, so that the lines are told that are not (`CSVReader`).
package struct CSVParts {
  package struct Part {
    package let bytes: [UInt8]
    package let isLast: Bool
  }

  private(set) var isKorean = false
  /// Bytes of the file that were read.
  package private(set) var offset = 0
  private let file: ByteSource
  private let connection: Connection
  private let partBytes: Int
  /// A character that the end of a part has cut.
  private var rest: [UInt8] = []

  package var encoding: String { isKorean ? "CP949" : "UTF-8" }

  /// Looks through the file, once.
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
    guard start != [0xEF, 0xBB], try !Self.isUTF8(file) else { return }
    isKorean = true
    // Before anybody has taken a part of it.
    var trial = self
    while let part = try trial.decoded() {
      if part.bytes == nil { isKorean = false }
      if !isKorean { return }
    }
  }

  package mutating func next() throws(Problem) -> Part? {
    guard isKorean else {
      guard offset < file.count else { return nil }
      let part = try file.part(at: offset, partBytes)
      offset += part.count
      return Part(bytes: part, isLast: offset == file.count)
    }
    guard let part = try decoded() else { return nil }
    guard let bytes = part.bytes else { throw Problem(.impossible, "The file has changed while it was read.") }
    return Part(bytes: bytes, isLast: part.isLast)
  }

  /// The next part of a Korean text; without bytes when it is none.
  private mutating func decoded() throws(Problem) -> (bytes: [UInt8]?, isLast: Bool)? {
    guard offset < file.count else { return nil }
    // Two bytes of CP949 become three of UTF-8.
    let part = try file.part(at: offset, max(1, partBytes / 2))
    offset += part.count
    let isLast = offset == file.count
    rest += part
    let end = isLast ? rest.count : Self.endOfKorean(rest)
    let whole = Array(rest[..<end])
    rest.removeFirst(end)
    return (try decode(whole), isLast)
  }

  private func decode(_ korean: [UInt8]) throws(Problem) -> [UInt8]? {
    // The database stores no U+0000, wherever it stands.
    guard !korean.contains(0) else { return nil }
    do throws(PostgresError) {
      return try connection.run(CSVAudiences.decodeKorean(korean))
    } catch {
      guard error.sqlState == .characterNotInRepertoire || error.sqlState == .untranslatableCharacter else {
        throw Problem(error)
      }
      return nil
    }
  }

  /// Where the last whole character ends, of bytes that begin with one: those from 0x81 on have another behind them.
  private static func endOfKorean(_ bytes: [UInt8]) -> Int {
    var index = 0
    while index < bytes.count {
      let next = index + (bytes[index] > 0x80 ? 2 : 1)
      guard next <= bytes.count else { return index }
      index = next
    }
    return index
  }

  private static func isUTF8(_ bytes: ByteSource) throws(Problem) -> Bool {
    var rest: [UInt8] = []
    var isValid = true
    try bytes.forEachPart(of: Operations.Limits.partBytes) { part in
      rest += part
      let end = endOfWholeCharacters(rest)
      isValid = isValid && String(validating: rest[..<end], as: UTF8.self) != nil
      rest.removeFirst(end)
    }
    return isValid && rest.isEmpty
  }

  /// Where a character begins that the end has cut; the end when there is none.
  private static func endOfWholeCharacters(_ bytes: [UInt8]) -> Int {
    for (distance, byte) in bytes.reversed().prefix(4).enumerated() where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return distance + 1 < length ? bytes.count - distance - 1 : bytes.count
    }
    return bytes.count
  }
}
