import FoundationEssentials
import Markdown
import Testing

/// A link between files of the repository must lead to an existing file and heading.
struct DocumentLinks {
  private let documents: [String: Markdown]
  private let files: Set<String>

  init(_ files: [SourceTree.TextFile]) {
    self.files = Set(files.map(\.path))
    documents = Dictionary(
      uniqueKeysWithValues: files.filter { $0.path.hasSuffix(".md") }.map { ($0.path, Markdown($0.text)) })
  }

  /// - Parameter made: true for links into a section generated when the page is served.
  func check(except made: (String) -> Bool = { _ in false }) -> [Violation] {
    documents.sorted { $0.key < $1.key }.flatMap { path, document in
      document.links.filter { isFile($0.target) && !made($0.target) }
        .compactMap { link in
          objection(to: link.target, in: path).map { Violation(path, "links to \(link.target), \($0)") }
        }
    }
  }

  /// Not an address of another kind (`https:`, DocC's `doc:`), and not a path on a running server.
  private func isFile(_ target: String) -> Bool {
    !target.hasPrefix("/") && target.prefixMatch(of: #/[a-z][a-z0-9+.-]*:/#) == nil
  }

  private func objection(to target: String, in path: String) -> String? {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let place = parts[0].isEmpty ? path : Self.resolve(parts[0], beside: path)
    guard files.contains(place) else { return "which is not there" }
    guard parts.count == 2 else { return nil }
    return documents[place]?.headings.contains { $0.id == parts[1] } == true ? nil : "which has no such heading"
  }

  private static func resolve(_ target: String, beside path: String) -> String {
    var parts = path.split(separator: "/").dropLast()
    for part in target.split(separator: "/") {
      if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}

@Suite struct DocumentLinkTests {
  @Test func `every link between documents leads somewhere`() {
    // The headings above the variables are generated from their list; HandbookTests follow these links.
    expectNone(
      DocumentLinks(SourceTree.current.files)
        .check { $0.hasSuffix("#apps-built-with-the-existing-sdk") || $0.hasSuffix("#기존-sdk로-만든-앱") })
  }

  @Test func `the README is short, and leads on`() throws {
    let readme = try #require(SourceTree.current.files.first { $0.path == "README.md" })
    #expect(readme.text.utf8.count <= 10_240)
    let targets = Markdown(readme.text).links.map(\.target)
    for page in ["operate", "integrate", "send", "security", "moving", "existing-sdk", "glossary"] {
      #expect(targets.contains("Public/docs/\(page).md"))
    }
    for name in [".github/CONTRIBUTING.md", ".github/CHANGELOG.md", "LICENSE"] { #expect(targets.contains(name)) }
  }

  @Test func `a broken link is found`() {
    func file(_ path: String, _ text: String) -> SourceTree.TextFile { SourceTree.TextFile(path: path, text: text) }
    let links = DocumentLinks([
      file("a/x.md", "[1](../b.md#two) [2](../b.md#three) [3](y.md) [4](https://example.com/z.md) <doc:X>"),
      file("b.md", "# One\n\n## Two\n\n[5](#one) [6](a/x.md)"),
    ])
    #expect(
      links.check().map(\.message) == [
        "links to ../b.md#three, which has no such heading", "links to y.md, which is not there",
      ])
  }
}
