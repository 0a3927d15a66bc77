/// A person who requests something or had access to an account, and therefore must not act as their own second person.
package enum Principal: Hashable, Sendable {
  /// A console account's number.
  case account(Int32)
  /// A Unix user at the command line, by name.
  case unixUser(String)

  /// Column representation.
  package var stored: String {
    switch self {
    case .account(let number): "account \(number)"
    case .unixUser(let name): "unix \(name)"
    }
  }

  package init?(stored: String) {
    let words = stored.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return nil }
    switch words[0] {
    case "account":
      guard let number = Int32(words[1]) else { return nil }
      self = .account(number)
    case "unix": self = .unixUser(words[1])
    default: return nil
    }
  }
}
