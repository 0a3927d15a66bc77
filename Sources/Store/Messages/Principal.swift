/// A person who asks for something, or who has had something in hand: who may not be their own second person.
package enum Principal: Hashable, Sendable {
  /// A console account's number.
  case account(Int32)
  /// Somebody at the command line, by the name of the Unix user.
  case unixUser(String)

  /// As columns hold it.
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
