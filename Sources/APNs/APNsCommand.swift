internal import Domain
internal import PushTransport
internal import Reactor

/// What reaches the sender's thread through its inbox.
enum APNsCommand: Sendable {
  case batch(PushBatch)
  case credential(APNsCredential?, for: App.Number)
  case token(ProviderToken)
  case forgive(App.Number)
  case resolved(Result<[SocketAddress], SystemError>, for: PoolKey)
  case stop(within: Duration)
}
