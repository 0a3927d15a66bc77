internal import Domain
internal import Postgres
internal import Store

/// What a file's bytes are as text: UTF-8, or what spreadsheets on Korean Windows write.
enum CSVText {
  /// The file as UTF-8. One in CP949 is decoded into memory.
  static func decode(
    _ bytes: ByteSource, on connection: Connection
  ) throws(Problem) -> (text: ByteSource, encoding: String) {
    let start = try bytes.part(at: 0, 2)
    guard !start.isEmpty else { throw Problem(.impossible, "The file is empty.") }
    guard start != [0xFF, 0xFE], start != [0xFE, 0xFF] else {
      throw Problem(.impossible, "The file is UTF-16. Save it as UTF-8 (\"CSV UTF-8\" in a spreadsheet).")
    }
    if try isUTF8(bytes) { return (bytes, "UTF-8") }
    let korean = try bytes.part(at: 0, bytes.count)
    do throws(PostgresError) {
      return (ByteSource(try connection.run(CSVAudiences.decodeKorean(korean))), "CP949")
    } catch {
      guard error.sqlState == .characterNotInRepertoire || error.sqlState == .untranslatableCharacter else {
        throw Problem(error)
      }
      throw Problem(.impossible, "The file is neither UTF-8 nor CP949 (EUC-KR). Save it as UTF-8.")
    }
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
  static func endOfWholeCharacters(_ bytes: [UInt8]) -> Int {
    for (distance, byte) in bytes.reversed().prefix(4).enumerated() where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return distance + 1 < length ? bytes.count - distance - 1 : bytes.count
    }
    return bytes.count
  }
}
