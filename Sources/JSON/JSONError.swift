/// What is wrong with a JSON text, and where.
package struct JSONError: Error, Equatable, CustomStringConvertible {
  /// RFC 6901 pointer to the value, for example `/receipts/3/seqno`; empty for the whole text.
  package var pointer: String
  /// One sentence for whoever sent it.
  package let reason: String
  /// Each value is right by itself, but not beside the others: well-formed, and impossible all the same.
  package let isContradiction: Bool

  package init(_ reason: String, pointer: String = "", isContradiction: Bool = false) {
    self.pointer = pointer
    self.reason = reason
    self.isContradiction = isContradiction
  }

  /// What values that are right by themselves cannot be together.
  package static func contradiction(_ reason: String) -> JSONError { JSONError(reason, isContradiction: true) }

  package var description: String { pointer.isEmpty ? reason : "\(pointer): \(reason)" }

  /// The same error, seen from one level further out.
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
