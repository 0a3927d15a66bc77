internal import Domain
internal import HTTPServer
internal import Logging
package import Operations
internal import Reactor

/// Access to broadcast channels for the admin API.
package struct ChannelManagement: Sendable {
  /// Creates, lists and deletes channels at Apple.
  let directory: any ChannelDirectory
  /// Called on an admin thread after each accepted update of a broadcast channel, including repeated and superseded
  /// ones, which do not replace the channel's waiting update.
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
  /// Encrypts credentials and secrets; nil if the process has no master key, so that none can be stored or read.
  var master: MasterKey? { console.master }
  let console: ConsoleSetting
  /// Identity provider for signing in to the console; nil if none is configured.
  let provider: OpenIDProvider?
  let clock: any Clock
  /// Whether browsers reach the console by HTTPS only, which determines the names and attributes of cookies.
  let isSecure: Bool
  let hosting: ContentHosting
  /// Address at which access tokens for FCM are requested.
  let tokens: TokenAddress
  /// Tries out new APNs keys at Apple; nil if keys are stored without being tried.
  let keyTrial: (any KeyTrial)?
  /// Rules for the addresses of webhooks.
  let webhooks: WebhookAddresses
  /// Access to broadcast channels; nil if requests that need it are refused with `.notConfigured`.
  let channels: ChannelManagement?
  /// Remembers the callers that admin threads have authenticated recently.
  let known: KnownCallers
  /// Writes streamed answers; nil in `LocalAdminAPI`, which writes exports itself and refuses live views.
  let streams: AdminStreams?
  /// Returns the state of this process's node; nil if no server runs in this process.
  var nodeState: (@Sendable () -> NodeState)?
  let isConnected: @Sendable (Bool) -> Void
  let messageCommitted: @Sendable () -> Void
  /// Called after each sign-in attempt, with the code of the problem, or nil if the attempt succeeded. Not called for
  /// an attempt that lacks only the second factor. Calls do not overlap.
  let signedIn: @Sendable (Problem.Code?) -> Void
  let log = Logger(label: "admin")
  let sends = SendLog()
}
