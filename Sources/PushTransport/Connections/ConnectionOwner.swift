internal import Domain
internal import HTTP2
internal import Reactor

/// Who keeps a connection, and replaces it.
protocol ConnectionOwner: AnyObject {
  /// It is proven and takes as much as the peer allows.
  func becameReady(_ connection: Connection)
  /// It takes no more requests: get the next one on its way.
  func needsSuccessor(of connection: Connection)
  /// It has served long enough: another one should take its place before it goes. May be called again and again.
  func isDue(_ connection: Connection)
  func failed(_ address: SocketAddress)
  /// It is gone; all its requests have ended. Called exactly once.
  func closed(_ connection: Connection, reason: String)
}

/// Who has requests for a connection.
protocol RequestSource: AnyObject {
  /// Submits with `Connection.submit` as many requests as the connection takes. Returns how many.
  func fill(_ connection: Connection) -> Int
  /// Exactly once for each request submitted.
  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection)
  /// Told before `ended` of each request that the peer has answered.
  func answered(_ lane: Lane, after time: Duration)
  func received(_ goAway: GoAway, on connection: Connection)
  /// What the peer's clock shows, in seconds since 1970.
  func heard(peerSeconds: Int64)
}
