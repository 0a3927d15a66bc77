import Testing

/// What every change must pass leaves out no test: only `make check` asks for the quick ones (`Tests/TestTier`).
enum TierRule {
  static func check(_ file: SourceTree.TextFile) -> [Violation] {
    var target = ""
    return file.lines.enumerated().compactMap { index, line in
      if let match = line.firstMatch(of: #/^([a-z-]+):/#) { target = String(match.1) }
      guard line.contains("TESTS=quick"), target != "check" else { return nil }
      return Violation(file.path, line: index + 1, "leaves out tests; only `make check` may")
    }
  }
}

@Suite struct TierTests {
  private var scripts: [SourceTree.TextFile] {
    SourceTree.current.files.filter { $0.path == "Makefile" || $0.path.hasPrefix(".ci/") }
  }

  @Test func `only the everyday run leaves tests out`() throws {
    expectNone(scripts.flatMap(TierRule.check))
    let everyChange = try #require(scripts.first { $0.path == ".ci/run" })
    #expect(everyChange.text.contains("make test"))
    #expect(scripts.contains { $0.text.contains("@TESTS=quick .ci/run-tests") })
  }

  @Test func `a run of everything that leaves tests out is found`() {
    let sample = SourceTree.TextFile(
      path: "Makefile", text: "test: deps\n\t@TESTS=quick run\n\ncheck: deps\n\t@TESTS=quick run\n")
    #expect(TierRule.check(sample).map(\.line) == [2])
  }
}
