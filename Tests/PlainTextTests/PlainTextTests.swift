import PlainText
import Testing

@Suite struct PlainTextTests {
  private static let mark = "\u{301}"

  @Test(arguments: [
    "", "plain", "이체가 완료되었습니다", "Việt Nam", "שָׁלוֹם", "नमस्ते", "a\u{301}\u{316}", String(repeating: "é", count: 1000),
    String(repeating: "한글", count: 1000), String(repeating: "e\u{301}\u{316}", count: 1000),
    String(repeating: "👨‍👩‍👧", count: 100),
  ])
  func `what people write is stream-safe`(text: String) {
    #expect(text.isStreamSafe)
    #expect(Array(text.streamSafe.utf8) == Array(text.utf8))
  }

  @Test func `thirty marks in a row are, thirty-one are not`() {
    for start in ["", "a", "이체 ", String(repeating: "x", count: 100)] {
      let most = start + String(repeating: Self.mark, count: PlainText.Limits.marks)
      #expect(most.isStreamSafe && (most + "a" + Self.mark).isStreamSafe)
      #expect(!(most + Self.mark).isStreamSafe)
      #expect(!(most + "\u{316}" + "b").isStreamSafe)
      #expect(!(most + "\u{1D165}").isStreamSafe)
    }
  }

  @Test func `what is too much is replaced, mark by mark`() {
    let marks = String(repeating: Self.mark, count: 32)
    let safe = ("a" + marks + "b").streamSafe
    #expect(safe.isStreamSafe)
    #expect(
      Array(safe.unicodeScalars)
        == Array(("a" + marks.unicodeScalars.prefix(30).map(String.init).joined() + "\u{FFFD}\u{FFFD}b").unicodeScalars)
    )
  }

  /// The blocks that are passed over hold no mark: whoever takes a new version of Unicode learns it here.
  @Test func `no ideograph and no syllable of Hangul is a combining mark`() {
    let mark = [0..<0x300, 0x3400..<0xA66F, 0xAC00..<0xD7A4].joined().first { value in
      Unicode.Scalar(UInt32(value)).map { $0.properties.canonicalCombiningClass != .notReordered } ?? false
    }
    #expect(mark == nil)
  }

  @Test func `a beginning has so many bytes, and no half scalar`() {
    #expect("abc".beginning(bytes: 3) == "abc" && "abc".beginning(bytes: 2) == "ab" && "abc".beginning(bytes: 0) == "")
    #expect("".beginning(bytes: 3) == "" && "abc".beginning(bytes: 4) == "abc")
    for (bytes, shown) in [(1, 1), (2, 1), (4, 1), (5, 5), (8, 5), (9, 9)] {
      #expect("x😀😀😀".beginning(bytes: bytes).utf8.count == shown)
    }
    // One character for Swift.
    #expect(String(repeating: "👨\u{200D}", count: 10_000).beginning(bytes: 200).utf8.count <= 200)
  }
}
