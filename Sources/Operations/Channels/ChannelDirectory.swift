package import Domain
package import Postgres

/// Manages an app's broadcast channels at Apple. Each call blocks until Apple has answered.
package protocol ChannelDirectory: Sendable {
  /// Creates a channel and returns the id that Apple gives it.
  func create(
    _ storage: ChannelStorage, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> String
  /// Returns the channel's settings at Apple; nil if Apple does not know the channel.
  func storage(
    of channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> ChannelStorage?
  /// Deletes a channel. Succeeds if it does not exist.
  func delete(
    _ channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem)
  /// Returns the ids of all of the app's channels.
  func list(of app: App, in environment: PushEnvironment, on connection: Connection) throws(Problem) -> [String]
}
