package import Domain

/// The identity of a pool of connections: routes with equal keys share connections.
package struct PoolKey: Hashable, Sendable {
  /// The credential's identifier; equal for all apps that use the same one.
  package let credential: String
  package let environment: PushEnvironment
  /// The app that has this pool to itself, because its refusals would affect others; nil for a shared pool.
  package let isolated: App.Number?

  package init(credential: String, environment: PushEnvironment, isolated: App.Number?) {
    self.credential = credential
    self.environment = environment
    self.isolated = isolated
  }
}
