/// The registrations known to the simulated FCM, tokens and installation ids. Each has a number, used in the log.
package struct FCMRegistrations {
  package enum State: String, Codable, Sendable {
    case active
    /// The app was removed, or the token was replaced.
    case unregistered
    /// The registration belongs to another project.
    case otherSender = "other-sender"
    /// The registration is of an iOS device whose APNs token is no longer valid.
    case apnsDisabled = "apns-disabled"
    /// The registration is of an iOS device, and the project's APNs key is invalid.
    case apnsKeyBad = "apns-key-bad"
  }

  private struct Entry {
    let name: String
    var state: State
    var isRegistered: Bool
  }

  private var entries: [Entry] = []
  private var numbers: [String: Int] = [:]
  var unregisteredTokens: TokenRegistry.UnregisteredPolicy

  package init(unregisteredTokens: TokenRegistry.UnregisteredPolicy = .accepted) {
    self.unregisteredTokens = unregisteredTokens
  }

  package var count: Int { entries.count }

  package func name(at number: Int) -> String { entries[number].name }

  package func number(of name: String) -> Int? { numbers[name] }

  @discardableResult
  package mutating func register(_ name: String, state: State = .active) -> Int {
    let number = numbers[name] ?? insert(name)
    entries[number].state = state
    entries[number].isRegistered = true
    return number
  }

  /// Returns the registration's number, or the error for sending to it.
  mutating func find(_ name: String) -> Result<Int, FCMError> {
    let number: Int
    if let known = numbers[name], entries[known].isRegistered || unregisteredTokens == .accepted {
      number = known
    } else if unregisteredTokens == .accepted {
      number = insert(name)
    } else {
      return .failure(.unregistered)
    }
    switch entries[number].state {
    case .active: return .success(number)
    case .unregistered: return .failure(.unregistered)
    case .otherSender: return .failure(.senderMismatch)
    case .apnsDisabled: return .failure(.apnsDisabled)
    case .apnsKeyBad: return .failure(.thirdPartyAuth)
    }
  }

  private mutating func insert(_ name: String) -> Int {
    let number = entries.count
    entries.append(Entry(name: name, state: .active, isRegistered: false))
    numbers[name] = number
    return number
  }
}
