internal import Domain
internal import HTTPServer
internal import Logging
internal import Operations
internal import Reactor

/// Shared by the threads of the admin API.
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
  /// Records every authenticated caller.
  let known: KnownCallers
  let streams: AdminStreams
  let isConnected: @Sendable (Bool) -> Void
  let messageCommitted: @Sendable () -> Void
  /// Called on the thread `passwords` with the result of each sign-in; nil: success.
  let signedIn: @Sendable (Problem.Code?) -> Void
  let log = Logger(label: "admin")
}
