internal import Domain
internal import HTTP2
internal import Reactor

/// Owns connections and replaces them.
protocol ConnectionOwner: AnyObject {
  /// The connection is proven and takes as much as the peer allows.
  func becameReady(_ connection: Connection)
  /// The connection takes no more requests: open the next one.
  func needsSuccessor(of connection: Connection)
  /// The connection has served long enough and should be replaced before it retires. May be called repeatedly.
  func isDue(_ connection: Connection)
  func failed(_ address: SocketAddress)
  /// The connection is closed and all its requests have ended. Called exactly once.
  func closed(_ connection: Connection, reason: String)
}

/// Supplies requests for a connection.
protocol RequestSource: AnyObject {
  /// Submits with `Connection.submit` as many requests as the connection takes. Returns how many.
  func fill(_ connection: Connection) -> Int
  /// Called exactly once for each request submitted.
  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection)
  /// Called before `ended`, for each request that the peer has answered.
  func answered(_ lane: Lane, after time: Duration)
  func received(_ goAway: GoAway, on connection: Connection)
  /// The peer's clock, in seconds since 1970.
  func heard(peerSeconds: Int64)
}
