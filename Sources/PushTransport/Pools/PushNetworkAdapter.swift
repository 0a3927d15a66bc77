package import Domain
package import HTTP2
package import TLS

/// What a network adds to a pool of connections: whether a request may go, how it is encoded, and what its answer
/// means. One per pool, on the sender's loop.
package protocol PushNetworkAdapter: PushComposer {
  /// For logs: whose credential it is. Never the credential itself.
  var name: String { get }

  /// Number of requests of this lane that the credential and the network's quota allow now. Requests what is missing (a
  /// token, say).
  func allowance(_ lane: Lane, of pool: Pool) -> Int
  /// Lanes that must not send at present, though others may: nothing of them is admitted. The adapter reports changes
  /// by `Pool.restingLanesChanged`.
  var restingLanes: Set<Lane> { get }
  /// This many requests were submitted just now.
  func submitted(_ count: Int)

  /// An objection of the credential itself to a batch, which spares the network a refusal.
  func objection(to batch: PushBatch) -> DoorObjection?

  /// Handles an answer that is not 200. Must give the submission exactly one result, or resend it.
  func refused(_ submission: Submission, _ refusal: Refusal, on connection: Connection, of pool: Pool)
  /// The documented word for such an answer, "other" if there is none: a peer must not be able to inflate the metrics'
  /// cardinality.
  func word(for refusal: Refusal) -> String
  /// True if the network holds such an answer against the connection, and so against the other routes on it.
  func isHeldAgainstConnection(_ refusal: Refusal) -> Bool
  func received(_ goAway: GoAway, on connection: Connection, of pool: Pool)
  /// The peer's clock, in seconds since 1970.
  func heard(peerSeconds: Int64, of pool: Pool)
  /// A connection was lost before it was usable.
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

/// What a pool is made from.
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

/// A network's decisions about the pools of its routes.
package protocol PoolProvider: AnyObject {
  /// The reason to report for an app without a credential.
  var noCredential: String { get }
  /// The pool that a route uses; nil if it has no credential.
  /// - Parameter isIsolated: the route shares its connections with no other.
  func poolKey(of route: PushRoute, isIsolated: Bool) -> PoolKey?
  func makePool(_ key: PoolKey, for route: PushRoute) throws(TLSError) -> PoolPlan?
}
