import Testing

/// SQL has one home, `Store`, and one neighbour, `Postgres`, which speaks for the connection itself and migrates.
enum SQLRule {
  static let homes: Set<String> = ["Store", "Postgres"]

  /// What only SQL begins with. Case matters little to PostgreSQL, so it matters little here.
  private static let openings: [[String]] = [
    ["select"], ["insert", "into"], ["delete", "from"], ["create", "table"], ["create", "index"], ["create", "unique"],
    ["create", "schema"], ["create", "database"], ["create", "extension"], ["alter", "table"], ["drop", "table"],
    ["drop", "database"], ["truncate", "table"], ["copy"], ["listen"], ["notify"], ["savepoint"], ["rollback"],
    ["lock", "table"], ["set", "local"],
  ]

  static func check(_ file: SwiftSource) -> [Violation] {
    guard !homes.contains(file.module) else { return [] }
    return file.literals.filter { isSQL($0.text) }.map {
      let beginning = $0.text.prefix(40).replacing("\n", with: " ")
      return Violation(file.path, line: $0.line, "holds SQL (\"\(beginning)…\"); SQL lives in Store")
    }
  }

  static func isSQL(_ text: String) -> Bool {
    let words = text.split(maxSplits: 60) { $0.isWhitespace || $0 == "(" || $0 == "," }.map { $0.lowercased() }
    guard let first = words.first else { return false }
    // One English word alone, such as "copy" or "select", is a name, not a statement.
    if openings.contains(where: { words.count > $0.count && words.starts(with: $0) }) {
      return first != "select" && first != "copy" || words.contains("from") || words.count == 2 && first == "select"
    }
    return first == "update" && words.count > 2 && words.contains("set") || first == "with" && words.contains("select")
  }
}

/// A number in SQL that stands for a case of a stored enum: its meaning is unreadable, and renumbering the case
/// corrupts data silently.
enum StoredCaseRule {
  static func check(_ file: SwiftSource) -> [Violation] {
    // The byte of a delivery in a block is no enum's number alone.
    guard file.module == "Store", file.fileName != "BlockErasure.swift" else { return [] }
    return file.literals.flatMap { literal in
      literal.text.matches(of: /(?:^|[^a-z_])(state|status|held)\s*(=|<>|>=|<=|<|>|IN|NOT IN)\s*[(]?\d+/).map {
        Violation(
          file.path, line: literal.line, "`\($0.0)` in SQL says nothing; write the case: `\\(MessageState.paused.sql)`")
      }
    }
  }
}

@Suite struct SQLTests {
  @Test func `stored cases are named in SQL`() {
    expectNone(SourceTree.current.sources.flatMap(StoredCaseRule.check))
  }

  @Test(arguments: [
    ("SELECT 1 FROM messages WHERE state = 3", 1), ("m.state IN (2, 3)", 1), ("o.status <> 6 AND held > 0", 2),
    ("state = \\(MessageState.paused.sql)", 0), ("WHERE state = $3", 0),
  ])
  func `a number in their place is found`(sql: String, count: Int) {
    let file = SwiftSource(path: "Sources/Store/Sample.swift", text: "let s = \"\(sql)\"\n")
    #expect(StoredCaseRule.check(file).count == count)
  }

  @Test func `SQL stands only in the store`() {
    expectNone(SourceTree.current.sources.flatMap(SQLRule.check))
  }

  @Test(arguments: [
    "SELECT 1", "select a, b from t", "INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DELETE FROM t",
    "COPY t FROM STDIN",
    "WITH a AS (SELECT 1) INSERT INTO t TABLE a", "CREATE TABLE t (a int)", "LISTEN app_changed", "LOCK TABLE t",
  ])
  func `SQL elsewhere is found`(statement: String) {
    let file = SwiftSource(path: "Sources/API/Sample.swift", text: "let s = \"\"\"\n  \(statement)\n  \"\"\"\n")
    #expect(SQLRule.check(file).map(\.line) == [1])
  }

  @Test(arguments: [
    "update the badge", "select an app first", "with a user", "copy", "listen", "create a key with `upmc key create`",
    "",
    "delete the device", "update",
  ])
  func `English passes`(sentence: String) {
    #expect(!SQLRule.isSQL(sentence))
  }

  @Test func `SQL in the store passes`() {
    let file = SwiftSource(path: "Sources/Store/Sample.swift", text: "let s = \"SELECT 1\"")
    #expect(SQLRule.check(file) == [])
  }
}
