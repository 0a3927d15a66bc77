package import Domain
package import HTTP2
package import TLS

/// What a network adds to a pool of connections: whether a request may go, how it is written, and what its answer means.
/// One for each pool, on the sender's loop.
package protocol PushNetworkAdapter: PushComposer {
  /// For logs: whose credential it is. Never the credential itself.
  var name: String { get }

  /// Requests of this lane that may be submitted now, as far as the credential and the network's quota go. What is
  /// missing (a token, say) is asked for.
  func allowance(_ lane: Lane, of pool: Pool) -> Int
  /// Lanes that may not go at present, though others may: nothing of them is taken. `Pool.restingLanesChanged` says that
  /// they are others now.
  var restingLanes: Set<Lane> { get }
  /// So many were submitted just now.
  func submitted(_ count: Int)

  /// What the credential itself says against a batch, so that the network need not.
  func objection(to batch: PushBatch) -> DoorObjection?

  /// An answer that is not 200. Must end in exactly one result for the submission, or send it again.
  func refused(_ submission: Submission, _ refusal: Refusal, on connection: Connection, of pool: Pool)
  /// The documented word for such an answer, "other" where there is none: a peer must not be able to fill the metrics.
  func word(for refusal: Refusal) -> String
  /// Whether the network holds such an answer against the connection it came on, and so against the other routes.
  func isHeldAgainstConnection(_ refusal: Refusal) -> Bool
  func received(_ goAway: GoAway, on connection: Connection, of pool: Pool)
  /// What the peer's clock shows, in seconds since 1970.
  func heard(peerSeconds: Int64, of pool: Pool)
  /// A connection was lost before it could be used.
  func closedBeforeReady(reason: String, of pool: Pool)
}

extension PushNetworkAdapter {
  package var restingLanes: Set<Lane> { [] }
}

/// Why a batch need not be sent at all.
package enum DoorObjection {
  case wrongEnvironment(reason: String)
  case fault(reason: String)
}

/// How a pool is made.
package struct PoolPlan {
  package let endpoint: Endpoint
  package let context: TLSContext
  /// The peer allows one request until it has seen a good credential.
  package let needsProof: Bool
  package let door: any PushNetworkAdapter

  package init(endpoint: Endpoint, context: TLSContext, needsProof: Bool, door: any PushNetworkAdapter) {
    self.endpoint = endpoint
    self.context = context
    self.needsProof = needsProof
    self.door = door
  }
}

/// What a network's sender decides for its routes.
package protocol PoolProvider: AnyObject {
  /// What to say of an app that nothing opens the network for.
  var noCredential: String { get }
  /// Whose connections a route uses; nil when nothing opens the network for it.
  /// - Parameter isIsolated: it shares them with nobody.
  func poolKey(of route: PushRoute, isIsolated: Bool) -> PoolKey?
  func makePool(_ key: PoolKey, for route: PushRoute) throws(TLSError) -> PoolPlan?
}
