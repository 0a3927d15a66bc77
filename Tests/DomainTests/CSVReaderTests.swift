import Domain
import Testing

@Suite struct CSVReaderTests {
  /// The lines of a file that comes in pieces of a size.
  private static func read(_ bytes: [UInt8], size: Int = 1 << 20) -> [CSVReader.Line] {
    var lines: [CSVReader.Line] = []
    var (rest, passed): ([UInt8], Int64) = ([], 0)
    var start = 0
    repeat {
      let end = min(start + size, bytes.count)
      let reader = CSVReader(rest + bytes[start..<end], passed: passed, isLast: end == bytes.count)
      lines += reader.lines
      (rest, passed, start) = (reader.rest, reader.passed, end)
      #expect(rest.count <= Domain.Limits.csvRecordBytes + 2)
    } while start < bytes.count
    return lines
  }

  private static func read(_ text: String, size: Int = 1 << 20) -> [CSVReader.Line] {
    read(Array(text.utf8), size: size)
  }

  @Test func `too many combining marks in a row are a fault of their line`() {
    let marks = String(repeating: "\u{301}", count: 30)
    let lines = Self.read("a\(marks)\nb\(marks)\u{316}\nc\n")
    #expect(
      lines.map(\.record) == [
        .fields(["a\(marks)"]), .faulty("has more than 30 combining marks in a row"), .fields(["c"]),
      ])
  }

  @Test(arguments: [
    "a,b\nc,d\n", "a,b\r\n\"c\"\"\r\n\",d\r\n\r\ne", "\u{FEFF}한글,\"쉼,표\"\n", "\"never closed\na,b\nc",
    "a\rb\r\rc\r\nd\r",
    "a\"b,\"c\"d\n,\n", "\"a\rb\r\nc\nd\"\r\ne", " \"a\" , b\t,\n \nx", "", "\n\n", "x", "\"", "\"\"", "\r", ",\r\n\"x",
  ])
  func `however a file is cut, its lines are the same`(text: String) {
    let whole = Self.read(text)
    for size in 1...9 { #expect(Self.read(text, size: size) == whole, "\(size)") }
  }

  @Test func `any bytes can be read, cut anywhere`() {
    var random = SystemRandomNumberGenerator()
    let alphabet = Array("ab,,\"\"\n\r \t".utf8) + [0, 0xEA, 0xB9, 0x80, 0xFF]
    for _ in 0..<500 {
      let bytes = (0..<60).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
      let size = Int.random(in: 1...20, using: &random)
      #expect(Self.read(bytes, size: size) == Self.read(bytes), "\(bytes) by \(size)")
    }
  }

  @Test func `quotes, line breaks and commas within quotes belong to the field`() {
    let lines = Self.read("a,\"b \"\"c\"\",\r\nd\",\r\ne\n")
    #expect(lines.map(\.number) == [1, 3])
    #expect(lines.map(\.record) == [.fields(["a", "b \"c\",\r\nd", ""]), .fields(["e"])])
    #expect(lines[0].text == "a,\"b \"\"c\"\",\r\nd\",")
  }

  @Test func `lines end as on any system, and are counted as editors count`() {
    let lines = Self.read("a\nb\r\nc\rd\n\re,\"x\ry\r\nz\"\rf")
    #expect(lines.map(\.number) == [1, 2, 3, 4, 6, 9])
    #expect(lines.last?.record == .fields(["f"]))
  }

  @Test func `blanks around fields go, those within quotes stay`() {
    let lines = Self.read("  a b\t, \" c \" ,d \"e\"\n \t \n")
    #expect(lines.map(\.record) == [.fields(["a b", " c ", "d \"e\""])])
  }

  @Test func `one bad line costs one line`() {
    let lines = Self.read(Array("a\n\"b\"c,d\n\"e\nf\n".utf8) + [0xB1, 0xE8, 0x0A] + Array("h\u{0}\ng\n".utf8))
    #expect(lines.map(\.number) == [1, 2, 3, 4, 5, 6, 7])
    #expect(
      lines.map(\.record) == [
        .fields(["a"]), .faulty("has text behind a closing quote"), .faulty("has a quote that is never closed"),
        .fields(["f"]), .faulty(CSVReader.wrongEncoding), .faulty("holds U+0000, which cannot be stored"),
        .fields(["g"]),
      ])
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func `a line may be so long, and no longer`(lineEnd: String) {
    let most = String(repeating: "x", count: Domain.Limits.csvRecordBytes)
    for size in [1_000, 1 << 20] {
      #expect(Self.read(most + lineEnd, size: size).map(\.record) == [.fields([most])])
      for excess in [1, 2, 3, 100_000] {
        let lines = Self.read(most + String(repeating: "y", count: excess) + lineEnd + "a\n", size: size)
        #expect(lines.map(\.number) == [1, 2])
        #expect(lines.map(\.record) == [.faulty("has more than 65536 bytes"), .fields(["a"])], "\(size), \(excess)")
      }
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func `a line that is too long ends, also where a piece ends`(lineEnd: String) {
    for start in ["", "\""] {
      let long = start + String(repeating: "x", count: Domain.Limits.csvRecordBytes + 100)
      let text = long + lineEnd + "a" + lineEnd + "b" + lineEnd
      let whole = Self.read(text)
      #expect(whole.map(\.number) == [1, 2, 3])
      for size in long.utf8.count...long.utf8.count + 2 { #expect(Self.read(text, size: size) == whole, "\(size)") }
    }
  }

  @Test func `a quote that is not closed does not swallow the file`() {
    let text = "kim,\"open\n" + String(repeating: "x\n", count: 40_000)
    for size in [4_096, 1 << 20] {
      let lines = Self.read(text, size: size)
      #expect(lines.count == 40_001)
      #expect(lines[0].record == .faulty("has a quote that is not closed within 65536 bytes"))
      #expect(lines.dropFirst().allSatisfy { $0.record == .fields(["x"]) })
    }
  }

  @Test func `there may be so many fields, and no more`() {
    let most = String(repeating: ",", count: Domain.Limits.csvFields - 1)
    let lines = Self.read("a\(most)\na\(most),\nb\n")
    guard case .fields(let fields)? = lines.first?.record else { Issue.record("refused"); return }
    #expect(fields.count == Domain.Limits.csvFields)
    #expect(lines.dropFirst().map(\.record) == [.faulty("has more than 1000 fields"), .fields(["b"])])
  }

  @Test func `names of columns are known however they are written`() {
    for name in ["CUID", " cuid", "clientUid", "Client_UID", "client-uid"] {
      #expect(CSVHeader.match(name, in: ["clientUid", "clientName"]) == "clientUid", "\(name)")
    }
    #expect(CSVHeader.match("NAME", in: ["clientUid", "clientName"]) == "clientName")
    #expect(CSVHeader.match("GroupSeq", in: ["groupSeqs"]) == "groupSeqs")
    #expect(CSVHeader.match("age", in: ["clientUid", "clientName"]) == nil)
  }
}
