import Testing

/// The rules are only as good as the scanner that tells code from comments and literals.
@Suite struct SwiftSourceTests {
  private func words(_ text: String) -> [String] {
    SwiftSource(path: "Sources/A/B.swift", text: text).words.map { String($0.text) }
  }

  private func literals(_ text: String) -> [String] {
    SwiftSource(path: "Sources/A/B.swift", text: text).literals.map(\.text)
  }

  @Test func `comments are no code`() {
    #expect(words("a // b\nc /* d /* e */ f */ g /// h\n") == ["a", "c", "g"])
  }

  @Test func `literals are no code, interpolations are`() {
    #expect(words(#"a("b", c) + "d \(e("f \(g)")) h" + i"#) == ["a", "c", "e", "g", "i"])
    #expect(literals(#""b" + "d \(e("f")) h""#) == ["b", "f", "d   h"])
  }

  @Test func `escapes, raw and multi-line strings end where they end`() {
    #expect(words(#"a = "\"b\\"; c"#) == ["a", "c"])
    #expect(words(##"a = #"b " \(c) \#(d)"#; e"##) == ["a", "d", "e"])
    #expect(words("a = \"\"\"\n  b \"c\" // d\n  \"\"\"; e") == ["a", "e"])
  }

  @Test func `a sentence in backticks is a name, not code`() {
    #expect(words("func `await the actor`() { a }") == ["func", "a"])
  }

  @Test func `every line keeps its number`() {
    let file = SwiftSource(path: "Sources/A/B.swift", text: "/* one\n two */\nlet s = \"\"\"\n  x\n  \"\"\"\nlast\n")
    #expect(file.code.count == file.lines.count)
    #expect(file.words.last?.line == 6)
    #expect(file.literals.first?.line == 3)
  }

  @Test func `an unfinished comment or string ends with the file`() {
    #expect(words("a /* b") == ["a"])
    #expect(words("a \"b") == ["a"])
    #expect(words("a \"b \\(c") == ["a", "c"])
  }
}
