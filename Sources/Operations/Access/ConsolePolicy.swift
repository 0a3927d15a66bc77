package import Reactor

/// The installation's rules for signing in to the console, from the configuration. They apply to accounts, never to API
/// keys.
package struct ConsolePolicy: Sendable {
  /// Networks from which accounts may sign in and use the console; empty for all.
  package var addresses: [IPBlock] = []
  /// Roles that need a second factor. Sessions started at the identity provider are exempt.
  package var secondFactor: Set<Role> = []
  /// Whether accounts may sign in with a password. False if they sign in at the identity provider only; sign-in links
  /// still work, for emergencies.
  package var takesPasswords = true
  /// The N of scrypt in password hashes, a power of two. No variable sets it: tests, which sign in hundreds of times, have
  /// a lower one.
  package var passwordRounds = PasswordHash.rounds

  package init() {}

  /// Returns whether accounts may sign in from an address.
  /// - Parameter address: the client's address; nil if unknown, which only an empty list admits.
  package func admits(_ address: IPAddress?) -> Bool {
    addresses.isEmpty || address.map { address in addresses.contains { $0.contains(address) } } ?? false
  }
}

/// The console's sign-in rules, and the key that encrypts the secrets of second factors.
package struct ConsoleSetting: Sendable {
  package let policy: ConsolePolicy
  /// Nil if second factors cannot be decrypted here: they can then be neither set up nor verified.
  package let master: MasterKey?

  package init(policy: ConsolePolicy = ConsolePolicy(), master: MasterKey?) {
    self.policy = policy
    self.master = master
  }
}
