/// An error in a JSON text, with its location, and those found behind it.
package struct JSONError: Error, Equatable, CustomStringConvertible {
  /// The RFC 6901 pointer to the value, for example `/receipts/3/seqno`; empty for the whole text.
  package var pointer: String
  /// The description of the error, for the sender: usually a predicate about the value at `pointer`, such as `must not
  /// be empty`.
  package let sentence: Sentence
  /// True if the values are valid individually but not in combination.
  package let isContradiction: Bool
  /// True if the text is not JSON, so that nothing after this location can be read.
  package let isMalformed: Bool
  /// Further errors of the same text, in its order: at most `JSON.Limits.errors` including this one.
  package private(set) var further: [JSONError] = []

  package init(_ sentence: Sentence, pointer: String = "", isContradiction: Bool = false) {
    self.init(sentence, pointer: pointer, isContradiction: isContradiction, isMalformed: false)
  }

  private init(_ sentence: Sentence, pointer: String, isContradiction: Bool, isMalformed: Bool) {
    self.pointer = pointer
    self.sentence = sentence
    self.isContradiction = isContradiction
    self.isMalformed = isMalformed
  }

  /// Creates an error for values that are valid individually but not in combination.
  package static func contradiction(_ sentence: Sentence) -> JSONError {
    JSONError(sentence, isContradiction: true)
  }

  /// Creates the error for a text that is not JSON.
  static func malformed(_ sentence: Sentence) -> JSONError {
    JSONError(sentence, pointer: "", isContradiction: false, isMalformed: true)
  }

  /// The English text of `sentence`.
  package var reason: String { sentence.english }

  package var description: String { pointer.isEmpty ? reason : "\(pointer): \(reason)" }

  /// This error and the further ones.
  package var all: [JSONError] {
    var first = self
    first.further = []
    return [first] + further
  }

  /// Creates an error that contains all of these; nil for an empty list.
  init?(_ errors: [JSONError]) {
    guard let first = errors.first else { return nil }
    self = first
    further = Array(errors.dropFirst())
  }

  /// Returns the error with `name` prepended to its pointer, as seen from the enclosing value.
  package func inside(_ name: String) -> JSONError {
    var error = self
    error.pointer = Self.step(to: name) + pointer
    error.further = further.map { $0.inside(name) }
    return error
  }

  /// Returns the RFC 6901 pointer to the member to which these names lead, outermost first.
  package static func pointer(to names: String...) -> String {
    names.map(step).joined()
  }

  private static func step(to name: String) -> String {
    name.contains { $0 == "~" || $0 == "/" } ? "/\(escape(name))" : "/\(name)"
  }

  private static func escape(_ name: String) -> String {
    name.reduce(into: "") { text, character in
      switch character {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.append(character)
      }
    }
  }
}

/// Collects the errors of an object's members, or of a list's elements: an invalid one is skipped, and the rest is
/// read. Decision 155.
struct JSONErrors {
  private(set) var all: [JSONError] = []

  /// Records an error of a member, and skips its value so that reading can go on.
  /// - Parameters:
  ///   - place: the location at which the value begins.
  ///   - name: the member's name, or the element's index.
  /// - Throws: the error, as the member's own, if the text cannot be read any further.
  mutating func note(
    _ error: JSONError, of name: String, in reader: inout JSONReader, from place: JSONReader.Place
  ) throws(JSONError) {
    // A text of our own is not rejected for one member, so nobody needs a list of its errors.
    guard !error.isMalformed, !reader.ignoresUnknownFields else { throw error }
    reader.go(to: place)
    try reader.skip()
    add(error.inside(name))
  }

  mutating func add(_ error: JSONError) {
    all += error.all.prefix(max(0, JSON.Limits.errors - all.count))
  }
}
