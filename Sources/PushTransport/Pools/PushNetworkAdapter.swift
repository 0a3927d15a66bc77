package import Domain
package import HTTP2
package import TLS

/// The part of a pool that is specific to a push network: decides whether a request may be sent, encodes it, and
/// interprets the answer. One instance per pool, confined to the sender's event loop.
package protocol PushNetworkAdapter: PushComposer {
  /// The name of the credential for log entries; never its secret.
  var name: String { get }

  /// Returns the number of requests of this lane that the credential and the network's quota allow now; 0 to send none.
  /// If something is missing, such as an access token, starts to obtain it.
  func allowance(_ lane: Lane, of pool: Pool) -> Int
  /// The lanes that must not send at present although others may; usually none. New batches for them are refused. When
  /// the value changes, the adapter calls `Pool.restingLanesChanged`.
  var restingLanes: Set<Lane> { get }
  /// Counts `count` submitted requests against the quota.
  func submitted(_ count: Int)

  /// Returns the reason why the credential rules out this batch, so that it fails without being sent; nil if it may be
  /// sent.
  func objection(to batch: PushBatch) -> BatchObjection?

  /// Handles an answer other than 200. Must give the submission exactly one result, or resend it.
  func refused(_ submission: Submission, _ refusal: Refusal, on connection: Connection, of pool: Pool)
  /// Returns the answer's error code if the network documents it, otherwise "other": a peer must not be able to raise
  /// the cardinality of our metrics.
  func word(for refusal: Refusal) -> String
  /// Returns true if the network counts such an answer against the connection, and so against all routes on it.
  func isHeldAgainstConnection(_ refusal: Refusal) -> Bool
  func received(_ goAway: GoAway, on connection: Connection, of pool: Pool)
  /// Receives the peer's clock, in seconds since 1970.
  func heard(peerSeconds: Int64, of pool: Pool)
  /// Called when a connection was closed before it became ready.
  func closedBeforeReady(reason: String, of pool: Pool)
}

extension PushNetworkAdapter {
  package var restingLanes: Set<Lane> { [] }
}

/// The reason why a batch fails without being sent.
package enum BatchObjection {
  case wrongEnvironment(reason: String)
  case fault(reason: String)
}

/// The specification of a pool, which a network's provider returns.
package struct PoolPlan {
  package let endpoint: Endpoint
  package let context: TLSContext
  /// True if the peer accepts only one request at a time until it has seen a valid credential.
  package let needsProof: Bool
  package let adapter: any PushNetworkAdapter

  package init(endpoint: Endpoint, context: TLSContext, needsProof: Bool, adapter: any PushNetworkAdapter) {
    self.endpoint = endpoint
    self.context = context
    self.needsProof = needsProof
    self.adapter = adapter
  }
}

/// The source of the pools of one push network: maps routes to pools, by their credentials.
package protocol PoolProvider: AnyObject {
  /// The error text for a batch whose app has no credential.
  var noCredential: String { get }
  /// Returns the key of the pool that a route uses; nil if its app has no credential.
  /// - Parameter isIsolated: true if the route must not share connections with others.
  func poolKey(of route: PushRoute, isIsolated: Bool) -> PoolKey?
  func makePool(_ key: PoolKey, for route: PushRoute) throws(TLSError) -> PoolPlan?
}
