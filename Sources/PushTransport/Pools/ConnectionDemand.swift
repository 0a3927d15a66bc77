/// How many connections the work at hand needs. Pure: Little's law (what is under way = rate × round trip) with what was
/// measured.
struct ConnectionDemand {
  /// Requests under way: the present rate times the round trip, as it is.
  var inFlight = 0
  /// Targets that wait.
  var backlog = 0
  /// Seconds from request to answer.
  var roundTrip = 0.0
  /// Seconds that the target in front has waited.
  var waited = 0.0
  /// Requests that one connection holds.
  var perConnection = 1
  /// Connections that can be used now.
  var present = 0
  /// What waits, although all connections keep streams for it, is urgent.
  var isUrgent = false

  /// Requests that should be under way so that the backlog is gone in `drainSeconds`.
  var streams: Double {
    Double(inFlight) + Double(backlog) * min(1, roundTrip / PushTransport.Limits.drainSeconds)
  }

  /// - Parameter most: not more than this.
  func connections(atMost most: Int) -> Int {
    guard inFlight > 0 || backlog > 0 else { return 0 }
    var wanted = Int((streams / Double(max(1, perConnection))).rounded(.up))
    // Whatever the numbers say: who waits this long is about to be given back as stale.
    if backlog > 0, isUrgent || waited >= PushTransport.Limits.drainSeconds { wanted = max(wanted, present + 1) }
    return min(max(1, wanted), most)
  }
}
