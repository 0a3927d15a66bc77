/// An error in a JSON text, with its location.
package struct JSONError: Error, Equatable, CustomStringConvertible {
  /// RFC 6901 pointer to the value, for example `/receipts/3/seqno`; empty for the whole text.
  package var pointer: String
  /// What is wrong, for the sender: usually a predicate about the value at `pointer`, such as `must not be empty`.
  package let reason: String
  /// True if the values are valid individually but not in combination.
  package let isContradiction: Bool

  package init(_ reason: String, pointer: String = "", isContradiction: Bool = false) {
    self.pointer = pointer
    self.reason = reason
    self.isContradiction = isContradiction
  }

  /// Creates an error for values that are valid individually but not in combination.
  package static func contradiction(_ reason: String) -> JSONError { JSONError(reason, isContradiction: true) }

  package var description: String { pointer.isEmpty ? reason : "\(pointer): \(reason)" }

  /// Returns the error with `name` prepended to its pointer, as seen from the enclosing value.
  package func inside(_ name: String) -> JSONError {
    let escaped = name.contains { $0 == "~" || $0 == "/" } ? Self.escape(name) : name
    return JSONError(reason, pointer: "/\(escaped)\(pointer)", isContradiction: isContradiction)
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
