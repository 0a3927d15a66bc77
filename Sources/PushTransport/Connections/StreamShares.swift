internal import Domain

/// The shares of the lanes in a connection's concurrent streams and flow-control window. One share is reserved for
/// urgent messages and another for urgent and normal ones, so that campaigns do not delay a log-in code. A stream limit
/// below `reservePart` leaves no streams to reserve.
struct StreamShares: Equatable {
  /// The limit of the urgent lane. A request may be submitted while fewer requests, of all lanes together, are open on
  /// the connection than the limit of its lane.
  let urgent: Int
  /// The limit of the normal lane.
  let normal: Int
  /// The limit of the bulk lane.
  let bulk: Int

  /// Creates the shares for a limit of the peer.
  /// - Parameters:
  ///   - limit: the peer's limit of concurrent streams.
  ///   - cap: our own limit per connection.
  init(limit: Int, cap: Int) {
    // If the peer allows more than our cap, the reserve for urgent messages comes on top of the cap.
    let most = max(0, min(limit, cap + cap / PushTransport.Limits.reservePart))
    let reserve = most / PushTransport.Limits.reservePart
    urgent = most
    normal = min(cap, most - reserve)
    bulk = max(min(most, 1), min(cap, most - 2 * reserve))
  }

  subscript(lane: Lane) -> Int {
    switch lane {
    case .urgent: urgent
    case .normal: normal
    case .bulk: bulk
    }
  }

  /// Returns the number of bytes of the connection's window that requests of this lane must leave free for more urgent
  /// lanes.
  static func windowReserve(_ lane: Lane) -> Int {
    Int(lane.rawValue) * PushTransport.Limits.payloadBytes
  }
}
