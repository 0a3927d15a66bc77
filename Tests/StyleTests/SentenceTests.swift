import Domain
import Testing

/// Every sentence that the server says has a Korean one in `KoreanSentences`, and none there is left over.
enum SentenceRule {
  /// Modules that make sentences, and single files of others.
  private static let modules: Set = ["PlainText", "JSON", "Domain", "Operations", "API"]
  private static let files = [
    "Sources/HTTPServer/Parsing/QueryParameters.swift", "Sources/HTTPClient/AddressRule.swift",
    "Sources/Server/Channels/AppleChannels.swift", "Sources/Server/Health/NodeReadiness.swift",
    "Sources/Server/HTTP/StartupResponder.swift", "Sources/Server/HTTP/MetricsListener.swift",
    "Sources/Server/HTTP/IdentityProviderCaller.swift",
  ]
  /// What is said in English only, each with its reason.
  private static let english = [
    // Programs at a terminal.
    "Sources/Operations/Exchange/Installed", "Sources/Operations/Access/MasterKey",
    "Sources/Operations/Access/SigningKey",
    // Documents, and endpoints whose bytes never change.
    "Sources/API/Description/", "Sources/API/Legacy/",
    // Lines of an import, which the database keeps as text.
    "Sources/Operations/Exchange/ImportBatch",
    // The catalog itself.
    "Sources/Domain/Languages/",
  ]

  /// Calls, labels and declarations that take a sentence.
  private static var calls: Regex<(Substring, Substring)> {
    #/
    \b(Problem|JSONError|contradiction|malformed|Mistake|Field|fault|refuse|refused|away|OpenIDFault|problem
    |inUse|entitlement|tooMany|self\.init|notes\.append|complaints\.append|problem\.adding|Sentence)\(
    /#
  }
  private static var labels: Regex<(Substring, Substring)> { #/\b(else|tooMany|tooFew|missing|detail):/# }
  private static var declarations: Regex<(Substring, Substring)> { #/(->|:) *Sentence\?? *[{=]/# }

  static func speaks(_ file: SwiftSource) -> Bool {
    (modules.contains(file.module) && file.isInSources || files.contains(file.path))
      && !english.contains { file.path.hasPrefix($0) }
  }

  /// The literals that stand where a sentence is wanted.
  static func said(in file: SwiftSource) -> [SwiftSource.Literal] {
    let text = file.code.joined(separator: "\n")
    let bytes = Array(text.utf8)
    func ends<Output>(_ matches: [Regex<Output>.Match]) -> [Int] {
      matches.map { text.utf8.distance(from: text.startIndex, to: $0.range.upperBound) }
    }
    let brackets = ends(text.matches(of: calls)) + ends(text.matches(of: declarations))
    let spans =
      brackets.map { start in
        guard bytes[start - 1] == UInt8(ascii: "=") else { return bracket(bytes, from: start) }
        // A default of a parameter ends at a comma or bracket, a property before an empty line.
        return bracket(bytes, from: start, orComma: true).clamped(to: paragraph(bytes, from: start))
      }
      + ends(text.matches(of: labels)).map { bracket(bytes, from: $0, orComma: true) }
    return file.literals.filter { literal in
      // Whoever breaks a condition is a programmer, and reads English.
      spans.contains { $0.contains(literal.offset) } && isSentence(literal.text)
        && !file.code[literal.line - 1].contains("precondition")
    }
  }

  /// Up to the bracket that closes, or to a comma beside it.
  private static func bracket(_ bytes: [UInt8], from start: Int, orComma: Bool = false) -> Range<Int> {
    var (depth, place) = (0, start)
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth < 0 { return start..<place }
      case UInt8(ascii: ",") where orComma && depth == 0: return start..<place
      default: break
      }
      place += 1
    }
    return start..<place
  }

  /// Up to the next empty line, which ends a declaration.
  private static func paragraph(_ bytes: [UInt8], from start: Int) -> Range<Int> {
    var place = start
    while place + 1 < bytes.count, !(bytes[place] == 10 && bytes[place + 1] == 10) { place += 1 }
    return start..<place
  }

  /// Words with blanks between, as opposed to names, paths and examples.
  private static func isSentence(_ text: String) -> Bool {
    text.contains(#/[a-z] /#) && !text.hasPrefix("[{") && normal(text).contains(" ")
  }

  /// The words alone: neither what is inserted nor how it is quoted.
  static func normal(_ text: String) -> String {
    text.replacing(/\{\d\}/, with: " ").split { $0.isWhitespace || $0 == "\"" || $0 == "\\" }.joined(separator: " ")
  }
}

@Suite struct SentenceTests {
  private static let known = Set(KoreanSentences.pairs.map { SentenceRule.normal($0.template) })

  @Test func `every sentence has a Korean one`() {
    expectNone(
      SourceTree.current.sources.filter(SentenceRule.speaks).flatMap { file in
        SentenceRule.said(in: file).filter { !Self.known.contains(SentenceRule.normal($0.text)) }.map {
          Violation(file.path, line: $0.line, "has no Korean in Domain/Languages for \"\($0.text)\"")
        }
      })
  }

  @Test func `no Korean sentence is left over`() {
    let all = Set(
      SourceTree.current.sources.filter { !$0.path.hasPrefix("Sources/Domain/Languages/") }
        .flatMap(\.literals).map { SentenceRule.normal($0.text) })
    // Actions are names of cases.
    let actions: Set = ["pause", "resume", "cancel"]
    let left = KoreanSentences.pairs.map(\.template).filter {
      let words = SentenceRule.normal($0)
      return !all.contains(words) && !actions.contains(words)
    }
    #expect(left == [])
  }

  @Test func `a Korean sentence has what the English one has inserted, and nothing is there twice`() {
    for (template, korean) in KoreanSentences.pairs {
      let (given, used) = (template.matches(of: /\{\d\}/), korean.matches(of: /\{\d\}/))
      #expect(Set(given.map { String($0.output) }) == Set(used.map { String($0.output) }), "\(template)")
      #expect(korean.contains(/[가-힣]/) || !template.contains(/[a-z]{2}/), "\(template)")
    }
    #expect(KoreanSentences.byTemplate.count == KoreanSentences.pairs.count)
  }

  @Test func `a sentence is found where one is wanted`() {
    let text = """
      func find() throws { throw Problem(.notFound, isOne ? "There is no \\(name) here." : "Give \\"one\\" name.") }
      let form = JSONForm.list(of: .text, tooMany: "is one more than \\(most)", about: "A list of texts.")
      static let rule: Sentence = "must be a rule"

      log.info("a thing was found")
      """
    let file = SwiftSource(path: "Sources/Domain/Sample.swift", text: text)
    #expect(
      SentenceRule.said(in: file).map { SentenceRule.normal($0.text) }.sorted()
        == ["Give one name.", "There is no here.", "is one more than", "must be a rule"])
  }
}
