internal import Domain
internal import HTTPServer
internal import Logging
package import Operations
internal import Reactor

/// Manages broadcast channels for the admin API.
package struct ChannelManagement: Sendable {
  /// Manages the app's channels at Apple.
  let directory: any ChannelDirectory
  /// Called on an admin thread after each accepted update of a broadcast channel, even one that was superseded or a
  /// repeat and so did not replace the channel's waiting update.
  let updated: @Sendable () -> Void

  package init(directory: any ChannelDirectory, updated: @escaping @Sendable () -> Void) {
    self.directory = directory
    self.updated = updated
  }
}

/// Resources shared by the threads of the admin API.
struct AdminResources: Sendable {
  let databaseURL: String
  let catalog: Catalog
  /// Encrypts credentials; nil if none can be stored.
  var master: MasterKey? { console.master }
  let console: ConsoleSetting
  /// Identity provider for signing in to the console; nil if accounts sign in only here.
  let provider: OpenIDProvider?
  let clock: any Clock
  /// Whether browsers reach the console by HTTPS only.
  let isSecure: Bool
  let hosting: ContentHosting
  /// Address at which access tokens for FCM are requested.
  let tokens: TokenAddress
  /// Asks Apple about keys that are not stored yet; nil if Apple cannot be asked.
  let keyTrial: (any KeyTrial)?
  /// Rules for the addresses of webhooks.
  let webhooks: WebhookAddresses
  /// Access to broadcast channels; nil if they are not available.
  let channels: ChannelManagement?
  /// Records every caller that was authenticated.
  let known: KnownCallers
  /// Streams answers; nil if the caller itself writes them (`LocalAdminAPI`).
  let streams: AdminStreams?
  /// Returns the node's own state; nil if no server runs in this process.
  var nodeState: (@Sendable () -> NodeState)?
  let isConnected: @Sendable (Bool) -> Void
  let messageCommitted: @Sendable () -> Void
  /// Called with the result of each sign-in, one at a time: the problem's code, or nil on success.
  let signedIn: @Sendable (Problem.Code?) -> Void
  let log = Logger(label: "admin")
  let sends = SendLog()
}
