import Testing

/// A migration is read for years after it ran: it opens with why, what it locks, and whether the old program still works.
enum MigrationRule {
  static func checkOpening(_ file: SourceTree.TextFile) -> [Violation] {
    let comment = file.lines.prefix { $0.hasPrefix("--") }
    guard comment.count >= 2 else {
      return [
        Violation(
          file.path, line: 1, "opens without its comment block: why, what it locks, does the old program still work")
      ]
    }
    return []
  }

  /// `0001_create_apps.sql`: four digits, counted without gaps, then words.
  static func checkNames(_ paths: [String]) -> [Violation] {
    paths.sorted().enumerated().compactMap { index, path in
      let name = path.split(separator: "/").last ?? ""
      let number = String(repeating: "0", count: max(0, 4 - String(index + 1).count)) + String(index + 1)
      guard name.hasPrefix(number + "_"),
        name.dropFirst(5).dropLast(4).allSatisfy({ $0.isLowercase || $0.isNumber || $0 == "_" })
      else { return Violation(path, "should be named \(number)_verb_phrase.sql") }
      return nil
    }
  }
}

@Suite struct MigrationTests {
  private var migrations: [SourceTree.TextFile] {
    SourceTree.current.files.filter { $0.path.hasPrefix("Migrations/") && $0.path.hasSuffix(".sql") }
  }

  @Test func `every migration opens with its reasons`() {
    expectNone(migrations.flatMap(MigrationRule.checkOpening))
  }

  @Test func `migrations are numbered without gaps`() {
    expectNone(MigrationRule.checkNames(migrations.map(\.path)))
  }

  @Test func `a migration without reasons is found`() {
    let bare = SourceTree.TextFile(
      path: "Migrations/0001_create_apps.sql", text: "CREATE TABLE apps ();\n-- late\n-- words\n")
    let good = SourceTree.TextFile(
      path: "Migrations/0001_create_apps.sql", text: "-- Why.\n-- Locks nothing.\nCREATE TABLE a ();\n")
    #expect(MigrationRule.checkOpening(bare).count == 1)
    #expect(MigrationRule.checkOpening(good) == [])
  }

  @Test func `a gap and a wrong form in the numbers are found`() {
    #expect(MigrationRule.checkNames(["Migrations/0001_create_apps.sql", "Migrations/0002_add_keys.sql"]) == [])
    #expect(MigrationRule.checkNames(["Migrations/0001_create_apps.sql", "Migrations/0003_add_keys.sql"]).count == 1)
    #expect(MigrationRule.checkNames(["Migrations/1_create.sql"]).count == 1)
    #expect(MigrationRule.checkNames(["Migrations/0001_Create Apps.sql"]).count == 1)
  }
}
