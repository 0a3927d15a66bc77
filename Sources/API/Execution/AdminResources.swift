package import Domain
internal import HTTPServer
internal import Logging
package import Operations
package import Reactor

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

/// Resources of the admin API, shared by its threads. Requests that need one that is nil are refused.
package struct AdminResources: Sendable {
  let databaseURL: String
  let catalog: Catalog
  /// Encrypts credentials and secrets; nil if the process has no master key, so that none can be stored or read.
  var master: MasterKey? { console.master }
  let console: ConsoleSetting
  let clock: any Clock
  /// Identity provider for signing in to the console; nil if none is configured.
  package var provider: OpenIDProvider?
  /// Whether browsers reach the console by HTTPS only, which determines the names and attributes of cookies.
  package var isSecure = false
  /// Addresses at which devices reach uploaded files.
  package var hosting = ContentHosting(publicURL: nil)
  /// Address at which access tokens for FCM are requested.
  package var tokens = TokenAddress()
  /// Tries out new APNs keys at Apple; nil if keys are stored without being tried.
  package var keyTrial: (any KeyTrial)?
  /// Rules for the addresses of webhooks.
  package var webhooks = WebhookAddresses.any
  /// Access to broadcast channels; nil if requests that need it are refused with `.notConfigured`.
  package var channels: ChannelManagement?
  /// Returns the state of this process's node; nil if no server runs in this process.
  package var nodeState: (@Sendable () -> NodeState)?
  /// Called on an admin thread: with false each time the thread could not reach the database or lost the connection,
  /// with true after its first request that reached the database again.
  package var isConnected: @Sendable (Bool) -> Void = { _ in }
  /// Called on an admin thread when an endpoint of the admin API has stored a message, or resumed an app.
  package var messageCommitted: @Sendable () -> Void = {}
  /// Called after each sign-in attempt, with the code of the problem, or nil if the attempt succeeded. Not called for
  /// an attempt that lacks only the second factor. Calls do not overlap.
  package var signedIn: @Sendable (Problem.Code?) -> Void = { _ in }
  /// Remembers the callers that admin threads have authenticated recently.
  let known: KnownCallers
  /// Writes streamed answers; nil in `LocalAdminAPI`, which writes exports itself and refuses live views.
  var streams: AdminStreams?
  let log = Logger(label: "admin")
  let sends = SendLog()

  /// - Parameters:
  ///   - databaseURL: the database of the admin threads; empty for `LocalAdminAPI`, which has a connection.
  ///   - catalog: must have been refreshed. Confidential content needs its seal.
  ///   - console: rules for signing in to the console, and the master key.
  ///   - clock: the database's clock.
  package init(
    databaseURL: String = "", catalog: Catalog, console: ConsoleSetting, clock: any Clock = SystemClock()
  ) {
    self.databaseURL = databaseURL
    self.catalog = catalog
    self.console = console
    self.clock = clock
    known = KnownCallers(catalog: catalog, clock: clock)
  }
}
