internal import Domain

/// How many of a connection's streams, and how much of its window, each lane may use. The last part is reserved for
/// urgent messages and the one before for normal ones too, so that a log-in code leaves at once however full the
/// connection is.
struct StreamShares: Equatable {
  /// An urgent request may join up to this many requests in flight on the connection, of any lane.
  let urgent: Int
  let normal: Int
  let bulk: Int

  /// - Parameters:
  ///   - limit: the peer's limit.
  ///   - cap: our own limit per connection.
  init(limit: Int, cap: Int) {
    // If the peer allows more than our cap, the reserve lies above it.
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

  /// Bytes of the connection's window that this lane leaves to more urgent ones.
  static func windowReserve(_ lane: Lane) -> Int {
    Int(lane.rawValue) * PushTransport.Limits.payloadBytes
  }
}
