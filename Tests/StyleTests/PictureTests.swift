import Testing

/// The picture at the top of Architecture: it shows every module of the graph and no other, and no arrow beside a name
/// points against the graph. Arrows from line to line are for people to follow.
struct ArchitecturePicture {
  static let path = "Sources/Server/Server.docc/Architecture.md"
  /// Words of the picture that begin as modules do, and are none.
  private static let prose: Set<String> = ["I", "O", "SQL"]

  /// Names, arrows and other marks, by line.
  private let lines: [[String]]
  /// The line of the document before the first of `lines`.
  private let start: Int

  /// Reads the first block of code of a document; nil if it has none.
  init?(document: String) {
    let parts = document.split(separator: "```", omittingEmptySubsequences: false)
    guard parts.count > 2 else { return nil }
    start = parts[0].count { $0 == "\n" }
    lines = parts[1].split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.matches(of: #/[A-Za-z0-9_\-]+|─+►|◄─+|\S/#).map { String($0.0) }
    }
  }

  func checkNames() -> [Violation] {
    let shown = Set(lines.joined())
    let missing = Set(ModuleGraph.allowed.keys).subtracting(shown).sorted().map {
      Violation(Self.path, "does not show \($0)")
    }
    let strange = shown.filter { word in
      word.first?.isUppercase == true && ModuleGraph.allowed[word] == nil && !Self.prose.contains(word)
    }.sorted().map { Violation(Self.path, "shows \($0), which is no module") }
    return missing + strange
  }

  func checkArrows() -> [Violation] {
    lines.enumerated().flatMap { number, words in
      words.indices.compactMap { index -> Violation? in
        guard index > 0, index + 1 < words.count else { return nil }
        let ends = words[index].hasSuffix("►") ? (index - 1, index + 1) : (index + 1, index - 1)
        let (from, to) = (words[ends.0], words[ends.1])
        guard words[index].contains("─"), words[index].contains("►") || words[index].contains("◄"),
          ModuleGraph.allowed[from] != nil, ModuleGraph.allowed[to] != nil
        else { return nil }
        return ModuleGraph.objection(to: to, in: from).map {
          Violation(Self.path, line: start + number + 1, "has an arrow from \(from) to \(to), but \(from) \($0)")
        }
      }
    }
  }
}

@Suite struct PictureTests {
  @Test func `the picture of the architecture follows the module graph`() throws {
    let file = try #require(SourceTree.current.files.first { $0.path == ArchitecturePicture.path })
    let picture = try #require(ArchitecturePicture(document: file.text))
    expectNone(picture.checkNames() + picture.checkArrows())
  }

  @Test func `an arrow against the graph, a missing module and a strange one are found`() throws {
    let text = "# A\n\n```\n  Store ─► Domain ──► Store    no I/O\n  Domain ◄─ Operations ◄─ Domain\n  Nothing\n```\n"
    let picture = try #require(ArchitecturePicture(document: text))
    #expect(picture.checkArrows().map(\.line) == [4, 5])
    let messages = picture.checkNames().map(\.message)
    #expect(messages.contains("does not show Reactor") && messages.contains("shows Nothing, which is no module"))
    #expect(!messages.contains("does not show Store") && messages.count { $0.hasPrefix("shows ") } == 1)
  }
}
