import Domain
import Postgres
import TestSupport
import Testing

@testable import Operations

/// Files in UTF-8 and in CP949, also with lines that are in neither: what is read is right, or told.
@Suite struct CSVTextTests {
  private let connection: Connection

  init() throws { connection = try TestDatabase.makeEmpty().connect() }

  /// "김" in the two encodings, and a byte that is in neither.
  private static let kim: [UInt8] = [0xEA, 0xB9, 0x80]
  private static let koreanKim: [UInt8] = [0xB1, 0xE8]
  private static let noText: [UInt8] = [0xFF]

  private static func line(_ user: String, _ name: [UInt8]) -> [UInt8] { Array("\(user),".utf8) + name + [0x0A] }

  /// What of each line is read; nil where it is wrong.
  private func read(
    _ bytes: [UInt8], partBytes: Int = 1_048_576
  ) throws -> (encoding: String, records: [[String]?], wrong: [Int64]) {
    var parts = try CSVParts(ByteSource(bytes), on: connection, partBytes: partBytes)
    var lines: [CSVReader.Line] = []
    var (rest, passed): ([UInt8], Int64) = ([], 0)
    var isAtEnd = false
    while let part = try parts.next() {
      let reader = CSVReader(rest + part.bytes, passed: passed, isLast: part.isLast)
      (rest, passed, isAtEnd) = (reader.rest, reader.passed, part.isLast)
      lines += reader.lines
    }
    #expect(isAtEnd && parts.offset == bytes.count)
    let records = lines.map { line -> [String]? in
      guard case .fields(let fields) = line.record else { return nil }
      return fields
    }
    return (
      parts.encoding.name, records, lines.filter { if case .faulty = $0.record { true } else { false } }.map(\.number)
    )
  }

  @Test(arguments: [[0xFF], [0xB1, 0xE8], [0xEA, 0xB9], [0x80]] as [[UInt8]], [1, 2, 7])
  func `one wrong line of a file in UTF-8 costs that line`(wrong: [UInt8], place: Int) throws {
    // Korean of three bytes, which in pairs can be CP949 too, and French of two, which always can.
    for name in ["김", "강강", "é"] {
      var lines = (1...8).map { Self.line("user\($0)", Array(name.utf8)) }
      lines[place] = Self.line("user\(place + 1)", wrong)
      for partBytes in [32, 1_048_576] {
        let file = try read(lines.flatMap { $0 }, partBytes: partBytes)
        var expected: [[String]?] = (1...8).map { ["user\($0)", name] }
        expected[place] = nil
        #expect(file.encoding == "UTF-8" && file.records == expected, "\(name) \(file)")
        #expect(file.wrong == [Int64(place + 1)])
      }
    }
  }

  @Test(
    arguments: [[0xFF], [0xEA, 0xB9, 0x80], [0xB1, 0xE8, 0xB1], [0xB1, 0xE8, 0x00], [0xC9, 0x41]] as [[UInt8]],
    [0, 2, 7])
  func `one wrong line of a file in CP949 costs that line`(wrong: [UInt8], place: Int) throws {
    // The second name is text in UTF-8 too, and another one.
    for (name, bytes) in [("김", Self.koreanKim), ("홍철김", [0xC8, 0xAB, 0xC3, 0xB6] + Self.koreanKim)] {
      var lines = (1...8).map { Self.line("user\($0)", bytes) }
      lines[place] = Self.line("user\(place + 1)", wrong)
      for partBytes in [32, 1_048_576] {
        let file = try read(lines.flatMap { $0 }, partBytes: partBytes)
        var expected: [[String]?] = (1...8).map { ["user\($0)", name] }
        expected[place] = nil
        #expect(file.encoding == "CP949" && file.records == expected, "\(name) \(file)")
        #expect(file.wrong == [Int64(place + 1)])
      }
    }
  }

  @Test func `a name in CP949 that is text in UTF-8 too does not make the file UTF-8`() throws {
    let both: [UInt8] = [0xC8, 0xAB, 0xC3, 0xB6]
    let lines =
      Self.line("a", both) + Self.line("b", Self.koreanKim) + Self.line("c", Self.koreanKim)
      + Self.line("d", Self.koreanKim)
    let file = try read(lines)
    #expect(file.records == [["a", "홍철"], ["b", "김"], ["c", "김"], ["d", "김"]] && file.encoding == "CP949")
  }

  @Test func `as many lines of the one as of the other, and the first says which it is`() throws {
    let utf8 = try read(Self.line("a", Self.kim) + Self.line("b", Self.koreanKim))
    #expect(utf8.records == [["a", "김"], nil] && utf8.encoding == "UTF-8")
    let korean = try read(Self.line("a", Self.koreanKim) + Self.line("b", Self.kim))
    #expect(korean.records == [["a", "김"], nil] && korean.encoding == "CP949")
  }

  @Test func `a wrong line without Korean anywhere is told`() throws {
    let file = try read(Self.line("a", Array("Kim".utf8)) + Self.line("b", Self.noText) + Self.line("c", []))
    #expect(file.records == [["a", "Kim"], nil, ["c", ""]] && file.wrong == [2])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `a wrong line within quotes costs its record, with any line ends`(end: String) throws {
    let bytes =
      Self.line("a", Self.koreanKim).dropLast() + Array("\(end)b,\"x\(end)".utf8) + Self.koreanKim + Self.noText
      + Array("\(end)\(end)y\"\(end)c,".utf8) + Self.koreanKim + Array("\(end)\"d\",\"".utf8) + Self.noText
      + Array("\"\(end)e,".utf8) + Self.koreanKim
    for partBytes in [48, 1_048_576] {
      let file = try read(bytes, partBytes: partBytes)
      #expect(file.records == [["a", "김"], nil, ["c", "김"], nil, ["e", "김"]], "\(partBytes) \(file)")
      #expect(file.wrong == [2, 7])
    }
  }

  @Test func `a line that is too long is told in either encoding, and the others are read`() throws {
    for (name, letter) in [("UTF-8", Self.kim), ("CP949", Self.koreanKim)] {
      let long = (0..<60_000).flatMap { _ in letter }
      let lines = (0..<4).map { _ in Self.line("a", letter) }.flatMap { $0 }
      let file = try read(lines + Self.line("b", long) + lines, partBytes: 4_096)
      #expect(file.encoding == name && file.wrong == [5] && file.records.count == 9, "\(file.encoding) \(file.wrong)")
      #expect(file.records.filter { $0 == ["a", "김"] }.count == 8)
    }
  }

  /// The database knows the code page by heart.
  @Test func `what is taken for CP949 is what the database converts`() throws {
    try connection.script(
      """
      CREATE TABLE korean (lead integer, trail integer);
      DO $$ BEGIN
        FOR lead IN 128..255 LOOP FOR trail IN 1..255 LOOP BEGIN
          PERFORM convert_from(set_byte(set_byte('\\x0000'::bytea, 0, lead), 1, trail), 'UHC');
          INSERT INTO korean VALUES (lead, trail);
        EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN NULL;
        END; END LOOP; END LOOP;
      END $$;
      """)
    let rows = try connection.run(Statement("korean", "SELECT lead, trail FROM korean ORDER BY lead, trail"))
    let known = (0..<rows.count).map { [UInt8(rows.int32($0, 0)), UInt8(rows.int32($0, 1))] }
    var taken: [[UInt8]] = []
    for lead in UInt8(128)...255 {
      for trail in UInt8(1)...255 where KoreanCodePage.isText([lead, trail]) { taken.append([lead, trail]) }
    }
    #expect(known.count > 17_000 && taken == known)
    #expect((1..<128).allSatisfy { KoreanCodePage.isText([$0]) } && !KoreanCodePage.isText([0]))
    #expect(!(UInt8(128)...255).contains { KoreanCodePage.isText([$0]) })
  }
}
