import Foundation
import Testing

/// What people read: words that nobody in this trade says, each with the one that is said instead.
struct WordRule: Sendable {
  /// Where words are read.
  enum Place: CaseIterable {
    /// Values of the console's catalogues.
    case catalogue
    /// Lines of the console's scripts.
    case script
    /// Literals of the programs: sentences, descriptions and advice.
    case sentence
    /// The handbook, the reference's titles and the alert rules.
    case handbook
  }

  /// A part of a path and of the text, and why the word may stand there.
  struct Exception {
    let path: String
    let text: String
    let reason: String

    init(_ path: String, _ text: String = "", because reason: String) {
      (self.path, self.text, self.reason) = (path, text, reason)
    }

    func excuses(_ read: ReadText) -> Bool {
      read.path.contains(path) && (text.isEmpty || read.text.contains(text))
    }
  }

  let pattern: String
  let better: String
  let places: Set<Place>
  /// The only key of a catalogue that is meant; nil means any text.
  let key: String?
  let exceptions: [Exception]

  init(
    _ pattern: String, _ better: String, in places: Set<Place> = Set(Place.allCases), key: String? = nil,
    except exceptions: Exception...
  ) {
    (self.pattern, self.better, self.key, self.exceptions) = (pattern, better, key, exceptions)
    self.places = key == nil ? places : [.catalogue]
  }

  func isExcused(_ text: ReadText) -> Bool {
    exceptions.contains { $0.excuses(text) }
  }
}

/// A text that people read, and where it stands.
struct ReadText {
  let path: String
  let line: Int
  let place: WordRule.Place
  /// Of an entry of a catalogue.
  var key: String?
  let text: String

  /// Modules whose literals people read; those of others are SQL, names and what a programmer has broken.
  private static let speaking: Set = ["PlainText", "Domain", "Operations", "Maintenance", "API", "Server", "upmc"]

  /// All that people read in the repository.
  static func all(in tree: SourceTree) -> [ReadText] {
    tree.files.flatMap(read) + tree.sources.flatMap(literals)
  }

  /// The texts of a file under `Public`.
  private static func read(_ file: SourceTree.TextFile) -> [ReadText] {
    func lines(_ place: WordRule.Place) -> [ReadText] {
      file.lines.enumerated().map { ReadText(path: file.path, line: $0 + 1, place: place, text: String($1)) }
    }
    if file.path.hasPrefix("Public/assets/words/") {
      return file.lines.enumerated().map { index, line in
        let parts = line.split(separator: "\"", maxSplits: 3, omittingEmptySubsequences: false)
        let isEntry = parts.count == 4 && parts[2] == ": "
        return ReadText(
          path: file.path, line: index + 1, place: .catalogue, key: isEntry ? String(parts[1]) : nil,
          text: isEntry ? String(parts[3]) : String(line))
      }
    }
    if file.path.hasPrefix("Public/assets/"), file.path.hasSuffix(".js") { return lines(.script) }
    if file.path.hasPrefix("Public/docs/"), !file.path.contains("/programs/"), !file.path.hasSuffix(".js") {
      return lines(.handbook)
    }
    return file.path == "Public/operations/alerts.yml" ? lines(.handbook) : []
  }

  /// Literals, of which those of several lines become lines.
  private static func literals(_ file: SwiftSource) -> [ReadText] {
    guard speaking.contains(file.module) else { return [] }
    return file.literals.flatMap { literal in
      literal.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
        ReadText(path: file.path, line: literal.line + $0, place: .sentence, text: String($1))
      }
    }
  }
}

/// Texts as one, a line each: so a rule looks through all of them at once.
struct TextPile {
  private let texts: [ReadText]
  private let joined: NSString
  /// Where each text begins.
  private let starts: [Int]

  init(_ texts: [ReadText]) {
    self.texts = texts
    joined = texts.map(\.text).joined(separator: "\n") as NSString
    var start = 0
    starts = texts.map { text in
      defer { start += text.text.utf16.count + 1 }
      return start
    }
  }

  /// The texts in which a pattern is found, in their order.
  func texts(with pattern: String) throws -> [ReadText] {
    let expression = try NSRegularExpression(pattern: pattern, options: [.caseInsensitive, .anchorsMatchLines])
    let found = expression.matches(in: joined as String, range: NSRange(location: 0, length: joined.length))
    var places: [Int] = []
    for place in found.map({ place(of: $0.range.location) }) where places.last != place { places.append(place) }
    return places.map { texts[$0] }
  }

  private func place(of offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }
}

extension WordRule {
  /// Where the word is said, with excuse or without.
  func said(in pile: TextPile) throws -> [ReadText] {
    try pile.texts(with: pattern).filter { places.contains($0.place) && (key == nil || key == $0.key) }
  }

  /// The texts in which a word is said that nobody says.
  static func check(_ pile: TextPile, against rules: [WordRule] = all) throws -> [Violation] {
    try rules.flatMap { rule in
      try rule.said(in: pile).filter { !rule.isExcused($0) }.map {
        Violation($0.path, line: $0.line, "says \"\(rule.pattern)\"; say: \(rule.better). \($0.text)")
      }
    }
  }

  /// Exceptions that excuse nothing.
  static func unused(_ pile: TextPile) throws -> [String] {
    try all.filter { !$0.exceptions.isEmpty }.flatMap { rule in
      let said = try rule.said(in: pile)
      return rule.exceptions.filter { exception in !said.contains { exception.excuses($0) } }
        .map { "\(rule.pattern): \($0.path) \($0.text)" }
    }
  }
}

@Suite struct WordTests {
  private static let texts = ReadText.all(in: .current)

  @Test func `what people read is said in the words of the trade`() throws {
    expectNone(try WordRule.check(TextPile(Self.texts)))
  }

  @Test func `each exception excuses something, and says why`() throws {
    #expect(try WordRule.unused(TextPile(Self.texts)) == [])
    for exception in WordRule.all.flatMap(\.exceptions) { #expect(exception.reason.count > 10) }
  }

  @Test func `texts of every place are read, and keys of both catalogues`() {
    for place in WordRule.Place.allCases { #expect(Self.texts.count { $0.place == place } > 200, "\(place)") }
    for language in ["en", "ko"] {
      let keys = Self.texts.filter { $0.path == "Public/assets/words/\(language).json" }.compactMap(\.key)
      for key in WordRule.all.compactMap(\.key) { #expect(keys.contains(key), "\(key) is in no catalogue") }
    }
  }

  /// What the console once said, one text for each rule.
  @Test func `each rule finds what it is about`() throws {
    #expect(WordRule.all.count == WordRule.once.count)
    for (rule, text) in zip(WordRule.all, WordRule.once) {
      let place = try #require(rule.places.first)
      let once = ReadText(path: "Public/sample", line: 1, place: place, key: rule.key, text: text)
      #expect(try WordRule.check(TextPile([once]), against: [rule]).count == 1, "\(rule.pattern): \(text)")
      #expect(!rule.better.isEmpty)
    }
  }

  @Test func `a word in another place, or under another key, is not meant`() throws {
    let rule = WordRule("주소", "접속 IP", key: "audit.from")
    let texts = [
      ReadText(path: "Public/assets/words/ko.json", line: 1, place: .catalogue, key: "accounts.login", text: "주소"),
      ReadText(path: "Public/docs/operate.ko.md", line: 1, place: .handbook, text: "주소"),
    ]
    #expect(try WordRule.check(TextPile(texts), against: [rule]) == [])
  }
}
