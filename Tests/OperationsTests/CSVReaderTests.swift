import Testing

@testable import Operations

@Suite struct CSVReaderTests {
  /// The lines of a file that comes in pieces of a size.
  private static func read(_ text: String, size: Int) -> [CSVReader.Line] {
    let bytes = Array(text.utf8)
    var lines: [CSVReader.Line] = []
    var (rest, passed): ([UInt8], Int64) = ([], 0)
    var start = 0
    repeat {
      let end = min(start + size, bytes.count)
      let reader = CSVReader(rest + bytes[start..<end], passed: passed, isLast: end == bytes.count)
      lines += reader.lines
      (rest, passed, start) = (reader.rest, reader.passed, end)
    } while start < bytes.count
    return lines
  }

  @Test func `too many combining marks in a row are a fault of their line`() {
    let marks = String(repeating: "\u{301}", count: 30)
    let lines = Self.read("a\(marks)\nb\(marks)\u{316}\nc\n", size: 1_000)
    #expect(
      lines.map(\.record) == [
        .fields(["a\(marks)"]), .faulty("has more than 30 combining marks in a row"), .fields(["c"]),
      ])
  }

  @Test(arguments: [
    "a,b\nc,d\n", "a,b\r\n\"c\"\"\r\n\",d\r\n\r\ne", "\u{FEFF}한글,\"쉼,표\"\n", "\"never closed\na,b\nc",
    "a\"b,\"c\"d\n,\n",
    "", "\n\n", "x",
  ])
  func `however a file is cut, its lines are the same`(text: String) {
    let whole = Self.read(text, size: 1_000)
    for size in 1...9 { #expect(Self.read(text, size: size) == whole, "\(size)") }
  }

  @Test func `quotes, line breaks and commas within quotes belong to the field`() {
    let lines = Self.read("a,\"b \"\"c\"\",\r\nd\",\r\ne\n", size: 1_000)
    #expect(lines.map(\.number) == [1, 3])
    #expect(lines.map(\.record) == [.fields(["a", "b \"c\",\r\nd", ""]), .fields(["e"])])
  }

  @Test func `one bad line costs one line`() {
    let lines = Self.read("a\n\"b\"c,d\n\"e\nf\ng\n", size: 1_000)
    #expect(lines.map(\.number) == [1, 2, 3, 4, 5])
    #expect(
      lines.map(\.record) == [
        .fields(["a"]), .faulty("has something after a closing quote"), .faulty("has a quote that is not closed"),
        .fields(["f"]), .fields(["g"]),
      ])
  }

  @Test func `a line may be so long, and no longer`() {
    let most = String(repeating: "x", count: Operations.Limits.csvRecordBytes)
    #expect(Self.read(most + "\n", size: 1 << 20).map(\.record) == [.fields([most])])
    for size in [100, 1 << 20] {
      let lines = Self.read(most + "x\na\n", size: size)
      #expect(lines.count == 2 && lines.last?.record == .fields(["a"]), "\(size): \(lines.map(\.record))")
      if case .fields? = lines.first?.record { Issue.record("too long, and taken all the same") }
    }
  }

  @Test func `what a spreadsheet would run is written as text, and read back`() {
    for cell in [
      "=1+1", "+82 2", "-1", "@x", "\ttab", "\n=1+1", "＝1+1", "＋1", "－1", "＠x", "plain", "'quoted", "a,b", "a\"b", "",
    ] {
      var writer = CSVWriter()
      writer.row([cell, nil])
      let written = Self.read(String(decoding: writer.bytes, as: UTF8.self), size: 1_000)
      guard case .fields(let fields)? = written.first?.record else {
        Issue.record("\(cell) was not written as a line")
        continue
      }
      #expect(fields.map(CSVWriter.read) == [cell, ""])
      #expect(!CSVWriter.isFormula(fields[0]))
    }
  }
}
