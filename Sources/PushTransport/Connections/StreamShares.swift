internal import Domain

/// How many of a connection's concurrent streams, and how much of its flow-control window, each lane may use. One share
/// is reserved for urgent messages and another for urgent and normal ones, so that a log-in code is sent at once
/// however busy the connection is.
struct StreamShares: Equatable {
  /// Limits on the connection's open requests, counted over all lanes: a request may be submitted while fewer than its
  /// lane's limit are open.
  let urgent: Int
  let normal: Int
  let bulk: Int

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

  /// Bytes of the connection's window that requests of this lane must leave free for more urgent lanes.
  static func windowReserve(_ lane: Lane) -> Int {
    Int(lane.rawValue) * PushTransport.Limits.payloadBytes
  }
}
