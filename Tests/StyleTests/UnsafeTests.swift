import Testing

/// Unsafe code has a few homes, where the C libraries and the hottest bytes are; elsewhere it is a mistake.
enum UnsafeRule {
  static let homes: Set<String> = ["Crypto", "Gzip", "Markdown", "Reactor", "Postgres", "TLS", "HTTP2"]
  /// The parser of requests, where bytes are read in place.
  static let homeFiles: Set<String> = [
    "Sources/HTTPServer/Parsing/RequestParser.swift", "Sources/HTTPServer/Parsing/FormDecoding.swift",
    // The client's system calls, its keychain, the lock of iOS 15, and the loader of URLs, whose delegate is a class that lives on one queue.
    "Sources/UPMCClient/Outbox/DurableFile.swift", "Sources/UPMCClientURLSession/UPMCClientURLSession.swift",
    "Sources/UPMCClient/State/KeychainStore.swift", "Sources/UPMCPushExtension/Guarded.swift",
  ]

  static func check(_ file: SwiftSource) -> [Violation] {
    guard !homes.contains(file.module), !homeFiles.contains(file.path) else { return [] }
    return file.words.filter { isUnsafe($0.text) }.map {
      Violation(
        file.path, line: $0.line,
        "uses `\($0.text)`; unsafe code lives only in \(homes.sorted().joined(separator: ", ")) and the request parser")
    }
  }

  private static func isUnsafe(_ word: Substring) -> Bool {
    word.hasPrefix("unsafe") || word.hasPrefix("Unsafe") || word.hasPrefix("withUnsafe") || word == "Unmanaged"
      || word == "unchecked"
  }
}

@Suite struct UnsafeTests {
  @Test func `unsafe code stays in its homes`() {
    expectNone(SourceTree.current.sources.flatMap(UnsafeRule.check))
  }

  @Test(arguments: [
    "let x = unsafe f()", "func f(_ p: UnsafeRawPointer) {}", "array.withUnsafeBytes { _ in }",
    "nonisolated(unsafe) var a = 1",
    "final class C: @unchecked Sendable {}", "let t = \"\\(unsafe f())\"", "let n = Unmanaged.passRetained(c)",
  ])
  func `unsafe code outside its homes is found`(line: String) {
    let file = SwiftSource(path: "Sources/Store/Sample.swift", text: line)
    #expect(!UnsafeRule.check(file).isEmpty)
  }

  @Test(arguments: [("Reactor", "let x = unsafe f()"), ("Store", "// unsafe"), ("Store", "let t = \"an unsafe word\"")])
  func `unsafe code at home, and the mere word, pass`(module: String, line: String) {
    #expect(UnsafeRule.check(SwiftSource(path: "Sources/\(module)/Sample.swift", text: line)) == [])
  }
}
