import Testing

/// A file holds one concept; what needs more than 400 lines holds two.
enum SizeRule {
  static let mostLines = 400

  static func check(_ file: SwiftSource) -> [Violation] {
    // A final line break does not begin another line.
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    guard count > mostLines else { return [] }
    return [Violation(file.path, "has \(count) lines; more than \(mostLines) is two concepts: split it")]
  }
}

@Suite struct SizeTests {
  @Test func `no source file has more than 400 lines`() {
    expectNone(SourceTree.current.sources.flatMap(SizeRule.check))
  }

  @Test func `400 lines pass, 401 are found and the file is named`() {
    let line = "let number = 1\n"
    let fits = SwiftSource(path: "Sources/Store/Fits.swift", text: String(repeating: line, count: 400))
    let long = SwiftSource(path: "Sources/Store/Long.swift", text: String(repeating: line, count: 401))
    #expect(SizeRule.check(fits) == [])
    #expect(SizeRule.check(long).map(\.path) == ["Sources/Store/Long.swift"])
  }
}
