internal import Domain

/// How many of a connection's streams, and of its window, each lane may use: the last ones are kept for normal messages,
/// the very last for urgent ones, so that a code for a log-in leaves at once however full the connection is.
struct StreamShares: Equatable {
  /// Requests in flight on the connection, whoever's, up to which an urgent one may join.
  let urgent: Int
  let normal: Int
  let bulk: Int

  /// - Parameters:
  ///   - limit: what the peer allows.
  ///   - cap: what we put on one connection.
  init(limit: Int, cap: Int) {
    // Where the peer allows more than our cap, the reserve lies above it.
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

  /// Bytes of the connection's window that this lane leaves to the more urgent ones.
  static func windowReserve(_ lane: Lane) -> Int {
    Int(lane.rawValue) * PushTransport.Limits.payloadBytes
  }
}
