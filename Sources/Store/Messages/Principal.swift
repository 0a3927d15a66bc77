/// A person who requested a message or another change, or who could have signed in to the requesting account, and
/// therefore must not approve the request.
package enum Principal: Hashable, Sendable {
  /// A console account's number.
  case account(Int32)
  /// A Unix user at the command line, by name.
  case unixUser(String)

  /// The value as stored in a text column.
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
