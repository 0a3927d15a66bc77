import JSON
import Testing

@Suite struct VisibleTextTests {
  @Test(arguments: ["", "plain", "한글 😀👨‍👩‍👧", "a\u{301}", "\u{A0}\u{200D}", #"{"a":"b"}"#])
  func `text that moves nothing stays as it is`(_ text: String) {
    #expect(VisibleText.of(text) == text)
  }

  @Test func `whatever a terminal acts on is written out, and JSON stays JSON`() throws {
    #expect(VisibleText.of("a\u{1B}]0;x\u{7}b\u{9B}2J") == #"a\u001b]0;x\u0007b\u009b2J"#)
    #expect(VisibleText.of("a\nb") == #"a\u000ab"#)
    #expect(VisibleText.of("a\nb\r", keepingLines: true) == "a\nb\\u000d")
    var writer = JSONWriter()
    writer.object { $0.member("name", "a\u{9B}\u{2028}\u{202E}\u{1B}b") }
    var reader = JSONReader(Array(VisibleText.of(String(decoding: writer.bytes, as: UTF8.self)).utf8))
    var found = ""
    try reader.readObject { (reader, _) throws(JSONError) in found = try reader.readString() }
    #expect(found == "a\u{9B}\u{2028}\u{202E}\u{1B}b")
  }
}
