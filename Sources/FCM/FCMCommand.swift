internal import Domain
internal import PushTransport
internal import Reactor

/// An input of the sender's thread, passed through its inbox.
enum FCMCommand: Sendable {
  case batch(PushBatch)
  case credential(FCMCredential?, for: App.Number)
  case forgive(App.Number)
  /// The number of nodes that send for the same projects has changed.
  case share(nodes: Int)
  case resolved(Result<[SocketAddress], SystemError>, for: PoolKey)
  /// The look-up of an account's token endpoint has ended.
  case tokenAddress(Result<[SocketAddress], SystemError>, account: String)
  case stop(within: Duration)
}
