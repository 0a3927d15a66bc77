internal import Domain
internal import PushTransport
internal import Reactor

/// An input of the sender's thread, passed through its inbox.
enum APNsCommand: Sendable {
  case batch(PushBatch)
  case credential(APNsCredential?, for: App.Number)
  case token(ProviderToken)
  case forgive(App.Number)
  case resolved(Result<[SocketAddress], SystemError>, for: PoolKey)
  case stop(within: Duration)
}
