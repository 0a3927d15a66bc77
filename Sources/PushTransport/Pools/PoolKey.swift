package import Domain

/// Whom a pool of connections serves.
package struct PoolKey: Hashable, Sendable {
  /// What opens the network, as far as connections may be shared: one and the same for all apps of it.
  package let credential: String
  package let environment: PushEnvironment
  /// An app that was taken out of the common pool, because its trouble would be that of all.
  package let isolated: App.Number?

  package init(credential: String, environment: PushEnvironment, isolated: App.Number?) {
    self.credential = credential
    self.environment = environment
    self.isolated = isolated
  }
}
