/// A localizable text for users: an English template with its arguments. String literals create one:
/// `"The app \(id) has no group \(group)."` has the template `The app {1} has no group {2}.`
///
/// Logs, the audit log and the legacy endpoints use the `english` text. Decision 158.
package struct Sentence: Equatable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The value of a placeholder `{n}`.
  package enum Argument: Equatable, Sendable {
    /// A value that is the same in all languages, such as a name or number.
    case text(String)
    /// A nested sentence, translated separately.
    case sentence(Sentence)
  }

  /// The English text, with `{1}` to `{n}` in place of the arguments, in English order.
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

  /// Creates a sentence that is never translated, such as text received from a push network.
  package init(verbatim text: String) {
    self.init(template: "{1}", arguments: [.text(text)])
  }

  /// Creates a sentence from an API term, such as a state or an action, which the catalog translates.
  package init(word: String) {
    self.init(template: word, arguments: [])
  }

  /// Creates a sentence that joins others with spaces.
  package init(joining sentences: [Sentence]) {
    self.init(
      template: sentences.indices.map { "{\($0 + 1)}" }.joined(separator: " "),
      arguments: sentences.map(Argument.sentence))
  }

  /// Creates a sentence that lists alternatives: `10 or 5`.
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

  /// Returns true if the English texts are equal, so the split into template and arguments does not matter.
  package static func == (one: Sentence, other: Sentence) -> Bool { one.english == other.english }

  /// Returns the text with the arguments filled in.
  /// - Parameters:
  ///   - wording: a translation of the template, whose `{n}` refer to the same arguments.
  ///   - inner: returns the text of a nested sentence.
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
