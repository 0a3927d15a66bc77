/// What the program says to a person, kept as a template and what is inserted into it, so that it can be said in another
/// language. A literal makes one: `"The app \(id) has no group \(group)."` has the template `The app {1} has no group {2}.`
///
/// Whoever needs English, which logs, the audit log and the legacy endpoints do, takes `english`. Decision 158.
package struct Sentence: Equatable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// What stands in the place of `{1}`, `{2}` and so on.
  package enum Argument: Equatable, Sendable {
    /// A name, number or the like, which is the same in all languages.
    case text(String)
    /// Part of the sentence that is translated as well.
    case sentence(Sentence)
  }

  /// The English text with `{1}` to `{n}` for the arguments, in the order in which English has them.
  package let template: String
  package let arguments: [Argument]

  package init(template: String, arguments: [Argument]) {
    self.template = template
    self.arguments = arguments
  }

  package init(stringLiteral text: String) {
    self.init(template: text, arguments: [])
  }

  package init(stringInterpolation parts: Parts) {
    self.init(template: parts.template, arguments: parts.arguments)
  }

  /// A text that nobody translates: it came from outside, such as a push network's answer.
  package init(verbatim text: String) {
    self.init(template: "{1}", arguments: [.text(text)])
  }

  /// A word of the API, such as a state or an action, which the catalog translates.
  package init(word: String) {
    self.init(template: word, arguments: [])
  }

  /// Several sentences in a row, with a blank between them.
  package init(joining sentences: [Sentence]) {
    self.init(
      template: sentences.indices.map { "{\($0 + 1)}" }.joined(separator: " "),
      arguments: sentences.map(Argument.sentence))
  }

  /// Words of which one is meant: `10 or 5`.
  package init(anyOf words: [String]) {
    let rest = words.dropFirst()
    self = rest.reduce(Sentence(verbatim: words.first ?? "")) { "\($0) or \($1)" }
  }

  package struct Parts: StringInterpolationProtocol {
    var template = ""
    var arguments: [Argument] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      template.reserveCapacity(literalCapacity + 3 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { template += literal }

    package mutating func appendInterpolation(_ sentence: Sentence) { append(.sentence(sentence)) }

    package mutating func appendInterpolation<Value>(_ value: Value) { append(.text("\(value)")) }

    private mutating func append(_ argument: Argument) {
      arguments.append(argument)
      template += "{\(arguments.count)}"
    }
  }

  package var english: String { filled { $0.english } }

  package var description: String { english }

  /// Sentences are equal that say the same in English, whichever words of it were inserted.
  package static func == (one: Sentence, other: Sentence) -> Bool { one.english == other.english }

  /// Returns the text with each argument in its place.
  /// - Parameters:
  ///   - wording: what to fill instead of the template; each of its `{n}` is the argument of that number.
  ///   - inner: makes the text of an argument that is itself a sentence.
  package func filled(_ wording: String? = nil, _ inner: (Sentence) -> String) -> String {
    let wording = wording ?? template
    guard !arguments.isEmpty else { return wording }
    var text = ""
    var rest = wording[...]
    while let open = rest.firstIndex(of: "{") {
      text += rest[..<open]
      let behind = rest[rest.index(after: open)...]
      let digits = behind.prefix { ("0"..."9").contains($0) }
      guard let number = Int(digits), behind[digits.endIndex...].first == "}", arguments.indices.contains(number - 1)
      else {
        text += "{"
        rest = behind
        continue
      }
      switch arguments[number - 1] {
      case .text(let value): text += value
      case .sentence(let sentence): text += inner(sentence)
      }
      rest = behind[digits.endIndex...].dropFirst()
    }
    return text + rest
  }
}
