import Testing

/// The console's style sheets let nothing move for as long as a page is open: the browser would paint the page sixty
/// times a second, which costs every reader a tenth of a core.
enum MotionRule {
  static func check(_ file: SourceTree.TextFile) -> [Violation] {
    file.lines.enumerated().compactMap { index, line in
      line.contains("infinite") ? Violation(file.path, line: index + 1, "moves for ever: say how many times") : nil
    }
  }
}

@Suite struct MotionTests {
  private static let sheets = SourceTree.current.files.filter {
    $0.path.hasPrefix("Public/assets/style/") && $0.path.hasSuffix(".css")
  }

  @Test func `nothing in the console moves for ever`() {
    #expect(!Self.sheets.isEmpty)
    expectNone(Self.sheets.flatMap(MotionRule.check))
  }

  @Test func `who prefers little motion sees none`() {
    #expect(Self.sheets.contains { $0.text.contains("(prefers-reduced-motion: reduce)") })
  }

  @Test func `what moves for ever is found, and what moves a few times is not`() {
    let text = ".a { animation: pulse 2s 4; }\n.b { animation: pulse 2s infinite; }\n"
    #expect(MotionRule.check(SourceTree.TextFile(path: "a.css", text: text)).map(\.line) == [2])
  }
}
