import Testing

/// Times that are stored, or compared with stored ones, come from the database: a machine's wall clock may be wrong.
enum ClockRule {
  /// Log lines and process start times use the machine's clock.
  private static let free = ["Sources/Server/Logging/LogLines.swift", "Sources/Server/Health/NodeMetrics.swift"]
  /// Modules that work without a database.
  private static let aside: Set<String> = ["Reactor", "Simulator", "upmc-simulator"]

  static func check(_ file: SwiftSource) -> [Violation] {
    guard !free.contains(file.path), !aside.contains(file.module) else { return [] }
    let words = file.words
    return words.indices.compactMap { index in
      guard words[index].text == "wallTime", index > 0, words[index - 1].text == "SystemClock" else {
        return nil
      }
      return Violation(
        file.path, line: words[index].line,
        "asks the machine for the time; everybody's is the database's (DatabaseClock)")
    }
  }
}

@Suite struct DatabaseTimeTests {
  @Test func `nothing goes by the machine's wall clock`() {
    expectNone(SourceTree.current.sources.flatMap(ClockRule.check))
  }

  @Test func `who asks the machine is found, and who was given a clock is not`() {
    let bad = SwiftSource(path: "Sources/Store/Sample.swift", text: "let now = SystemClock().wallTime\n")
    #expect(ClockRule.check(bad).map(\.line) == [1])
    let good = SwiftSource(path: "Sources/Store/Sample.swift", text: "let now = clock.wallTime\n")
    #expect(ClockRule.check(good) == [])
  }
}
