internal import Domain
internal import HTTP2
internal import Reactor

/// The owner of connections: receives their lifecycle events, and decides when to open and replace them.
protocol ConnectionOwner: AnyObject {
  /// Called once, when the connection becomes ready: it accepts as many requests as the peer allows.
  func becameReady(_ connection: Connection)
  /// Called when the connection starts draining: it accepts no more requests, so the owner should open another one.
  func needsSuccessor(of connection: Connection)
  /// Called, possibly repeatedly, when the connection has reached its maximum age or has used up its stream ids: the
  /// owner should open another one and then retire it.
  func isDue(_ connection: Connection)
  func failed(_ address: SocketAddress)
  /// Called exactly once per connection, after it is closed and all its requests have ended.
  func closed(_ connection: Connection, reason: String)
}

/// The source of a connection's requests, which also receives their results.
protocol RequestSource: AnyObject {
  /// Submits some requests through `Connection.submit` and returns how many; 0 if none can be submitted now. The
  /// connection calls it again until it returns 0.
  func fill(_ connection: Connection) -> Int
  /// Reports how a request ended. Called exactly once for each submitted request.
  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection)
  /// Reports the latency of each answered request, before `ended` is called for it.
  func answered(_ lane: Lane, after time: Duration)
  func received(_ goAway: GoAway, on connection: Connection)
  /// Reports the peer's clock from an answer's `date` field, in seconds since 1970. Answers without the field, or whose
  /// fields are not kept, are not reported.
  func heard(peerSeconds: Int64)
}
