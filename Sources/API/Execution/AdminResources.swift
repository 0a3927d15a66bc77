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
  var master: MasterKey? { console.master }
  let console: ConsoleSetting
  /// Where people sign in to the console; nil: only here.
  let provider: OpenIDProvider?
  let clock: any Clock
  /// True when browsers reach the console by HTTPS only.
  let isSecure: Bool
  let hosting: ContentHosting
  /// Where Google's access tokens are obtained.
  let tokens: TokenAddress
  /// Asks Apple about keys that are not stored yet; nil where that is not possible.
  let keyTrial: (any KeyTrial)?
  /// Which addresses webhooks may have.
  let webhooks: WebhookAddresses
  /// To broadcast channels; nil where there are none.
  let channels: ChannelWays?
  /// Told of everybody who is let in.
  let known: KnownCallers
  /// Writes answers in pieces; nil where the caller itself does.
  let streams: AdminStreams?
  let isConnected: @Sendable (Bool) -> Void
  let messageCommitted: @Sendable () -> Void
  /// Called with the result of each sign-in, one at a time; nil: success.
  let signedIn: @Sendable (Problem.Code?) -> Void
  let log = Logger(label: "admin")
  let sends = SendLog()
}
