/// A placeholder in a text for a value that differs between recipients: `%CUID%`, `%CNAME%`, `%VAR1%` … `%VAR9%`.
package enum Variable: Hashable, Sendable {
  case clientUID
  case clientName
  /// `%VAR1%` … `%VAR9%`, by its number in 1…9.
  case number(Int)

  /// Returns the variable whose name begins at index `start`, and the length of its name in bytes; nil if there is
  /// none. `start` must be an index of `bytes`.
  static func at(_ start: Int, of bytes: [UInt8]) -> (variable: Variable, length: Int)? {
    guard bytes[start] == UInt8(ascii: "%"), start + 5 < bytes.count else { return nil }
    let rest = bytes[start...]
    if rest.starts(with: "%CUID%".utf8) { return (.clientUID, 6) }
    if rest.starts(with: "%CNAME%".utf8) { return (.clientName, 7) }
    guard rest.starts(with: "%VAR".utf8), bytes[start + 5] == UInt8(ascii: "%"),
      case let digit = bytes[start + 4], (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit)
    else { return nil }
    return (.number(Int(digit - 48)), 6)
  }

  /// Returns all variables in a text, including those whose names overlap (`%CUID%VAR1%`).
  package static func found(in text: some Sequence<UInt8>) -> Set<Variable> {
    let bytes = Array(text)
    var found: Set<Variable> = []
    for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
      if let (variable, _) = at(index, of: bytes) { found.insert(variable) }
    }
    return found
  }

  package var name: String {
    switch self {
    case .clientUID: "%CUID%"
    case .clientName: "%CNAME%"
    case .number(let number): "%VAR\(number)%"
    }
  }
}
