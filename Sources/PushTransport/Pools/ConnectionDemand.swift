/// Number of connections that the present work needs. Pure: Little's law (in flight = rate × round trip) with measured
/// values.
struct ConnectionDemand {
  /// Requests in flight: the present rate times the round trip, as measured.
  var inFlight = 0
  /// Targets waiting.
  var backlog = 0
  /// Seconds from request to answer.
  var roundTrip = 0.0
  /// Seconds that the front target has waited.
  var waited = 0.0
  /// Number of requests that one connection holds.
  var perConnection = 1
  /// Number of usable connections.
  var present = 0
  /// Urgent targets wait, although all connections reserve streams for them.
  var isUrgent = false

  /// Number of requests that should be in flight for the backlog to be gone in `drainSeconds`.
  var streams: Double {
    Double(inFlight) + Double(backlog) * min(1, roundTrip / PushTransport.Limits.drainSeconds)
  }

  /// Returns how many connections the present work needs, never more than `most`; 0 when there is none.
  func connections(atMost most: Int) -> Int {
    guard inFlight > 0 || backlog > 0 else { return 0 }
    var wanted = Int((streams / Double(max(1, perConnection))).rounded(.up))
    // Whatever the numbers say: a target that has waited this long is about to be returned as stale.
    if backlog > 0, isUrgent || waited >= PushTransport.Limits.drainSeconds { wanted = max(wanted, present + 1) }
    return min(max(1, wanted), most)
  }
}
