package import Domain
package import Postgres

/// Access to an app's broadcast channels at Apple. Each call blocks until Apple has answered, and throws if the app has
/// no usable APNs credential, or Apple cannot be reached or refuses.
package protocol ChannelDirectory: Sendable {
  /// Creates a channel and returns its id, which Apple assigns.
  func create(
    _ storage: ChannelStorage, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> String
  /// Returns the channel's storage policy at Apple; nil if Apple does not know the channel.
  func storage(
    of channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> ChannelStorage?
  /// Deletes a channel. Succeeds even if Apple does not know the channel.
  func delete(
    _ channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem)
  /// Returns the ids of all of the app's channels in the environment, in no particular order.
  func list(of app: App, in environment: PushEnvironment, on connection: Connection) throws(Problem) -> [String]
}
