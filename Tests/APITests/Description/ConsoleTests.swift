import Foundation
import HTTPServer
@testable import API
import Testing

/// The console in `Public/` and the API's document: no action that is not documented, no word that is not written.
@Suite struct ConsoleTests {
  private static func segments(_ path: String) -> [Substring] { path.split(separator: "/") }

  /// True when both may name the same: what is filled in may be anything.
  private static func fit(_ one: String, _ other: String) -> Bool {
    let (one, other) = (segments(one), segments(other))
    return one.count == other.count && zip(one, other).allSatisfy { $0 == $1 || $0.hasPrefix("{") || $1.hasPrefix("{") }
  }

  private static func isDocumented(_ path: String, _ method: String? = nil) -> Bool {
    Endpoint.all.contains { (method ?? $0.method.rawValue) == $0.method.rawValue && fit($0.pattern, path) }
  }

  @Test func `every console action is an operation of the document`() throws {
    let console = try ConsoleCalls()
    #expect(console.calls.count > 60, "The scanner has lost sight of the console: \(console.calls.count) calls.")
    #expect(console.riddles.isEmpty, "Calls whose path cannot be told: \(console.riddles.joined(separator: "; "))")
    for call in console.calls where !Self.isDocumented("/v1/admin\(call.path)", call.method) {
      Issue.record("\(call.file) calls \(call.name), which the document does not have")
    }
  }

  @Test func `all languages have the same words, and every word that a script says is there`() throws {
    let words = try ["en", "ko"].map(Self.words)
    let missing = Set(words[0].keys).symmetricDifference(words[1].keys)
    #expect(missing.isEmpty, "only in one language: \(missing.sorted().joined(separator: ", "))")
    let holes = words.map { $0.mapValues { Set($0.matches(of: /\{\w+\}/).map { String($0.0) }) } }
    for (key, names) in holes[0] { #expect(holes[1][key] == names, "\(key) does not say the same in Korean") }
    for (file, text) in try Self.scripts() {
      for match in text.matches(of: /[^\w.]t\("([a-zA-Z0-9.:-]+)"/) {
        #expect(words[0][String(match.1)] != nil, "\(file) says \(match.1), which is in no catalogue")
      }
    }
  }

  @Test func `an English text that counts has a form for one thing and a form for several`() throws {
    for (key, text) in try Self.words("en") {
      #expect(text.firstMatch(of: /\{n\} (?:[a-z]+ )?(?!ms\b)[a-z]+s\b/) == nil, "\(key) says 1 things: \(text)")
      let plain = text.replacing(/\{\w+\|[^|{}]+\|[^|{}]+\}/, with: "")
      #expect(plain.firstMatch(of: /\{[^}]*\|/) == nil, "\(key) has a form that cannot be read: \(text)")
    }
  }

  @Test func `no script makes markup from text, and nothing comes from elsewhere`() throws {
    let forbidden = [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "//cdn",
    ]
    for (file, text) in try Self.scripts() {
      for word in forbidden { #expect(!text.contains(word), "\(file) has \(word)") }
      for match in text.matches(of: /https?:\/\/[^"'`\s]+/) {
        #expect(match.0 == "http://www.w3.org/2000/svg", "\(file) names \(match.0)")
      }
    }
  }

  @Test func `files of the console are small`() throws {
    for (file, text) in try Self.scripts() {
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 401, "\(file) is too long")
      #expect(text.hasPrefix("///"), "\(file) does not say what it is for")
    }
  }

  private static func words(_ language: String) throws -> [String: String] {
    let file = ConsoleCalls.root.appending(path: "words/\(language).json")
    return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
  }

  private static func scripts() throws -> [(String, String)] {
    var found: [(String, String)] = []
    let files = FileManager.default.enumerator(at: ConsoleCalls.root, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "js" else { continue }
      found.append((file.lastPathComponent, try String(contentsOf: file, encoding: .utf8)))
    }
    return found
  }
}
