/// The number of connections that the current load needs, computed by Little's law (requests in flight = rate × round
/// trip) from measured values.
struct ConnectionDemand {
  /// The number of requests in flight.
  var inFlight = 0
  /// The number of queued targets.
  var backlog = 0
  /// The mean time from request to answer, in seconds; 0 without a connection.
  var roundTrip = 0.0
  /// The time since the oldest queued target was read from the database, in seconds.
  var waited = 0.0
  /// The number of concurrent requests that one connection holds.
  var perConnection = 1
  /// The number of usable connections at present.
  var present = 0
  /// True if urgent targets wait although every connection reserves streams for them.
  var isUrgent = false

  /// The number of concurrent requests needed to submit the backlog within `drainSeconds`.
  var streams: Double {
    Double(inFlight) + Double(backlog) * min(1, roundTrip / PushTransport.Limits.drainSeconds)
  }

  /// Returns the number of connections that the current load needs: 0 if nothing is queued or in flight, otherwise at
  /// least 1 and at most `most`.
  func connections(atMost most: Int) -> Int {
    guard inFlight > 0 || backlog > 0 else { return 0 }
    var wanted = Int((streams / Double(max(1, perConnection))).rounded(.up))
    // Regardless of the estimate, open one more: a target that has waited this long is about to be returned as stale.
    if backlog > 0, isUrgent || waited >= PushTransport.Limits.drainSeconds { wanted = max(wanted, present + 1) }
    return min(max(1, wanted), most)
  }
}
