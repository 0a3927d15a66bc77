internal import Domain
internal import HTTPServer
internal import Logging
package import Operations
internal import Reactor

/// What the admin API needs for broadcast channels.
package struct ChannelWays: Sendable {
  /// Apple's own list.
  let directory: any ChannelDirectory
  /// Called, on an admin thread, when an update has been stored.
  let updated: @Sendable () -> Void

  package init(directory: any ChannelDirectory, updated: @escaping @Sendable () -> Void) {
    self.directory = directory
    self.updated = updated
  }
}

/// What the threads of the admin API share.
struct AdminResources: Sendable {
  let databaseURL: String
  let catalog: Catalog
  /// Seals credentials; nil where none are accepted.
  let master: MasterKey?
  let clock: any Clock
  /// True when browsers reach the console by HTTPS only.
  let isSecure: Bool
  let hosting: ContentHosting
  /// Where Google's access tokens are obtained.
  let tokens: TokenAddress
  /// To broadcast channels; nil where there are none.
  let channels: ChannelWays?
  /// Told of everybody who is let in.
  let known: KnownCallers
  let streams: AdminStreams
  let isConnected: @Sendable (Bool) -> Void
  let messageCommitted: @Sendable () -> Void
  /// Called on the thread `passwords` with the result of each sign-in; nil: success.
  let signedIn: @Sendable (Problem.Code?) -> Void
  let log = Logger(label: "admin")
  let sends = SendLog()
}
