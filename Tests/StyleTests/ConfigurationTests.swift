import Testing

/// What a server is set to stands apart from how it is put together: configuration names no type of the wiring, so it can
/// be read, tested and used by tools that start nothing.
enum ConfigurationRule {
  private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias"]

  static func check(_ files: [SwiftSource]) -> [Violation] {
    let home = "Sources/Server/Configuration/"
    let wiring = Dictionary(
      files.filter { $0.module == "Server" && !$0.path.hasPrefix(home) }.flatMap { file in
        types(file).map { (String($0), file.path) }
      }, uniquingKeysWith: { first, _ in first })
    return files.filter { $0.path.hasPrefix(home) }.flatMap { file in
      file.words.compactMap { word in
        wiring[String(word.text)].map {
          Violation(
            file.path, line: word.line, "names \(word.text) of \($0): wiring may use configuration, never the reverse")
        }
      }
    }
  }

  /// The types that stand at the top of a file.
  private static func types(_ file: SwiftSource) -> [Substring] {
    zip(file.words, file.words.dropFirst()).filter { kind, _ in
      kinds.contains(kind.text) && file.code[kind.line - 1].first != " "
    }.map(\.1.text)
  }
}

@Suite struct ConfigurationRuleTests {
  @Test func `the configuration names nothing of the wiring`() {
    expectNone(ConfigurationRule.check(SourceTree.current.sources))
  }

  @Test func `configuration that reaches into the wiring is found, and the reverse passes`() {
    let http = SwiftSource(path: "Sources/Server/HTTP/HTTP.swift", text: "final class HTTP { let a: Listening }\n")
    let good = SwiftSource(
      path: "Sources/Server/Configuration/Listening.swift", text: "struct Listening {} // of the HTTP\n")
    let bad = SwiftSource(
      path: "Sources/Server/Configuration/BenchmarkOverrides.swift",
      text: "struct BenchmarkOverrides {\n  let loops = HTTP.loops\n}\n")
    #expect(ConfigurationRule.check([http, bad]).map(\.line) == [2])
    #expect(ConfigurationRule.check([http, good]).isEmpty)
  }
}
