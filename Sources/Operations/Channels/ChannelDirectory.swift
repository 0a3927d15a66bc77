package import Domain
package import Postgres

/// Apple's own list of an app's channels, which ours follows: asked at once, while whoever asks waits.
package protocol ChannelDirectory: Sendable {
  /// Makes a channel and answers Apple's name of it.
  func create(
    _ storage: ChannelStorage, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> String
  /// What Apple keeps for a channel; nil when it knows none of this name.
  func storage(
    of channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> ChannelStorage?
  /// Deletes a channel; one that is gone already is no mistake.
  func delete(
    _ channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem)
  /// The names of all.
  func list(of app: App, in environment: PushEnvironment, on connection: Connection) throws(Problem) -> [String]
}
