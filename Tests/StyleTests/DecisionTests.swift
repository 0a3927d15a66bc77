import Testing

/// Decisions have a number, a page and a line in the index; code refers only to existing ones.
struct Decisions {
  private static let index = "Sources/Server/Server.docc/Decisions.md"

  /// By number.
  private let pages: [(number: String, file: SourceTree.TextFile)]
  private let files: [SourceTree.TextFile]

  init(_ files: [SourceTree.TextFile]) {
    self.files = files
    pages = files.compactMap { file in
      file.path.firstMatch(of: #/\.docc\/(\d{3})-[a-z0-9-]+\.md$/#).map { (String($0.1), file) }
    }.sorted { $0.number < $1.number }
  }

  func check() -> [Violation] { checkPages() + checkIndex() + checkReferences() }

  private func checkPages() -> [Violation] {
    let twice = zip(pages, pages.dropFirst()).filter { $0.number == $1.number }
      .map { Violation($1.file.path, "has the number of \($0.file.path)") }
    let untitled = pages.filter { !$0.file.text.hasPrefix("# \($0.number): ") }
      .map { Violation($0.file.path, "does not begin with its number and title") }
    return twice + untitled
  }

  private func checkIndex() -> [Violation] {
    guard let index = files.first(where: { $0.path == Self.index }) else {
      return [Violation(Self.index, "is not there")]
    }
    return pages.compactMap { number, file in
      let title = file.lines[0].dropFirst("# \(number): ".count)
      let name = file.path.split(separator: "/").last ?? ""
      let isListed =
        index.lines.contains { $0.hasPrefix("- \(number) [\(title)](") && $0.hasSuffix("/\(name))") }
        || index.lines.contains("- \(number) [\(title)](\(name))")
      return isListed ? nil : Violation(file.path, "is not in \(Self.index) by its number and title")
    }
  }

  private func checkReferences() -> [Violation] {
    let known = Set(pages.map(\.number))
    return files.flatMap { file in
      file.text.matches(of: #/\bDecisions? (\d{3})\b(?: and (\d{3})\b)?/#).flatMap { [$0.1, $0.2 ?? $0.1] }
        .filter { !known.contains(String($0)) }.map { Violation(file.path, "names decision \($0), which is not there") }
    }
  }
}

@Suite struct DecisionTests {
  @Test func `decisions are numbered, listed, and named rightly`() {
    #expect(SourceTree.current.files.count { $0.path.contains(".docc/0") } > 50)
    expectNone(Decisions(SourceTree.current.files).check())
  }

  @Test func `a number twice, a page that is not listed and a name of nothing are found`() {
    func file(_ path: String, _ text: String) -> SourceTree.TextFile { SourceTree.TextFile(path: path, text: text) }
    let tree = [
      file("Sources/Server/Server.docc/Decisions.md", "- 001 [One](../../A/A.docc/001-one.md)\n"),
      file("Sources/A/A.docc/001-one.md", "# 001: One\n"), file("Sources/A/A.docc/002-two.md", "# 002: Two\n"),
      file("Sources/B/B.docc/002-three.md", "# Three\n"),
      file("Sources/A/A.swift", "/// Decisions 002 and 0" + "09.\n"),
    ]
    #expect(Decisions(tree).check().count == 5)
  }
}
