import TestSupport
import Testing

/// The table of the article *Moving from PushManager*: each statement of the documents with its symbol and its test.
@Suite struct DocumentedTableTests {
  private struct Row {
    let statement, symbol, test: String
  }

  private func rows() throws -> [Row] {
    let path = "\(AppleTypeCheckTests.root)/Sources/UPMCPush/UPMCPush.docc/MovingFromPushManager.md"
    let text = try #require(TemporaryDirectory.read(path))
    let table = try #require(text.split(separator: "## Statement, symbol, test").last)
    return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
      let cells = line.split(separator: "|").map { String($0.drop { $0 == " " }) }
      func trimmed(_ text: String) -> String {
        var text = text
        while text.hasSuffix(" ") { text.removeLast() }
        return text
      }
      return Row(statement: trimmed(cells[0]), symbol: trimmed(cells[1]), test: trimmed(cells[2]))
    }
  }

  /// The Swift sources in these directories, as one text.
  private func sources(_ directories: [String]) -> String {
    directories.flatMap { TemporaryDirectory.files(below: "\(AppleTypeCheckTests.root)/\($0)") }
      .filter { $0.hasSuffix(".swift") }.compactMap(TemporaryDirectory.read).joined(separator: "\n")
  }

  @Test func `every test that the table names is there, and so is every symbol`() throws {
    let rows = try rows()
    #expect(rows.count >= 31)
    let tests = sources(["Tests/UPMCClientTests"])
    let symbols = sources(["Sources/UPMCClient", "Sources/UPMCPush", "Sources/UPMCPushExtension"])
    for row in rows {
      #expect(
        row.test == "type-checked" || tests.contains("func `\(row.test)`"), "\(row.statement): no test \(row.test)")
      let name = row.symbol.filter { $0 != "`" }.split { "./".contains($0) }.last.map { $0.prefix { $0 != "(" } } ?? ""
      let declaration = try Regex(#"\b(func|var|let|case|class|struct|enum|protocol) \#(name)\b"#)
      #expect(try declaration.firstMatch(in: symbols) != nil, "\(row.statement): \(name) is not declared")
    }
  }
}
