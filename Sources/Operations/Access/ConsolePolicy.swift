package import Reactor

/// The installation's rules for signing in to the console, from the configuration. They apply to accounts, never to API
/// keys.
package struct ConsolePolicy: Sendable {
  /// Networks from which accounts may sign in and work; empty: from everywhere.
  package var addresses: [IPBlock] = []
  /// Roles that need a second factor.
  package var secondFactor: Set<Role> = []
  /// False where accounts sign in at the identity provider only. Links still open accounts, for emergencies.
  package var takesPasswords = true

  package init() {}

  /// - Parameter address: the client's; nil when it is not known.
  package func admits(_ address: IPAddress?) -> Bool {
    addresses.isEmpty || address.map { address in addresses.contains { $0.contains(address) } } ?? false
  }
}

/// The rules together with the key that seals secrets of second factors.
package struct ConsoleSetting: Sendable {
  package let policy: ConsolePolicy
  /// Nil where no second factors are stored.
  package let master: MasterKey?

  package init(policy: ConsolePolicy = ConsolePolicy(), master: MasterKey?) {
    self.policy = policy
    self.master = master
  }
}
