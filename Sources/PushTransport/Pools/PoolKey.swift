package import Domain

/// Identifies a pool of connections by whom it serves.
package struct PoolKey: Hashable, Sendable {
  /// The credential, as far as connections may be shared: the same for all apps that use it.
  package let credential: String
  package let environment: PushEnvironment
  /// An app that was taken out of the shared pool, because its refusals would affect all others.
  package let isolated: App.Number?

  package init(credential: String, environment: PushEnvironment, isolated: App.Number?) {
    self.credential = credential
    self.environment = environment
    self.isolated = isolated
  }
}
