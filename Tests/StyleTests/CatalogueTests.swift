import Testing

/// Entries of the console's catalogues are sorted by key: a key has one place, and two changes do not meet at the
/// end of the file.
enum CatalogueRule {
  static func check(_ file: SourceTree.TextFile) -> [Violation] {
    let entries = file.lines.enumerated().compactMap { index, line in
      line.firstMatch(of: #/^ *"([^"]+)":/#).map { (line: index + 1, key: String($0.1)) }
    }
    return zip(entries, entries.dropFirst()).compactMap { former, entry -> Violation? in
      guard former.key >= entry.key else { return nil }
      let fault = former.key == entry.key ? "is there twice" : "belongs before \"\(former.key)\""
      return Violation(file.path, line: entry.line, "\"\(entry.key)\" \(fault)")
    }
  }
}

@Suite struct CatalogueTests {
  @Test(arguments: ["en", "ko"])
  func `entries of the console's catalogues are sorted`(_ language: String) throws {
    let file = try #require(SourceTree.current.files.first { $0.path == "Public/assets/words/\(language).json" })
    expectNone(CatalogueRule.check(file))
  }

  @Test func `an entry in a wrong place and one that is there twice are found`() {
    let text = "{\n \"a.b\": \"B\",\n \"a.c\": \"C\",\n \"a.c\": \"C\",\n \"a.a\": \"A\"\n}\n"
    #expect(CatalogueRule.check(SourceTree.TextFile(path: "ko.json", text: text)).map(\.line) == [4, 5])
  }
}
