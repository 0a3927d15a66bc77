internal import Domain
internal import PushTransport
internal import Reactor

/// Input of the sender's thread, through its inbox.
enum FCMCommand: Sendable {
  case batch(PushBatch)
  case credential(FCMCredential?, for: App.Number)
  case forgive(App.Number)
  /// Number of nodes that send for the same projects.
  case share(nodes: Int)
  case resolved(Result<[SocketAddress], SystemError>, for: PoolKey)
  /// The address of an account's token endpoint.
  case tokenAddress(Result<[SocketAddress], SystemError>, account: String)
  case stop(within: Duration)
}
