internal import Domain

/// Chooses the next message: lanes in order, and within a lane an equal share for every message, whatever its size and
/// age. Each message is charged for what is claimed of it; the one charged least is next. A message that begins, or
/// returns after a pause, starts from the lowest charge in its lane: it is served at once but catches nothing up.
/// Decision 056.
struct FairShare {
  typealias Waiting = (seqno: Int64, lane: Lane)

  /// Devices charged to each message that was waiting at the last ordering.
  private var charged: [Int64: Int64] = [:]

  /// The waiting messages, next to be claimed first.
  mutating func order(_ waiting: [Waiting]) -> [Waiting] {
    var present: [Int64: Int64] = [:]
    for lane in Lane.allCases {
      let messages = waiting.filter { $0.lane == lane }
      let least = messages.compactMap { charged[$0.seqno] }.min() ?? 0
      for message in messages { present[message.seqno] = max(charged[message.seqno] ?? least, least) }
    }
    charged = present
    return waiting.sorted { left, right in
      let (a, b) = (charged[left.seqno] ?? 0, charged[right.seqno] ?? 0)
      // On a tie the newer comes first: it has had nothing yet.
      return (left.lane.rawValue, a, -left.seqno) < (right.lane.rawValue, b, -right.seqno)
    }
  }

  mutating func charge(_ seqno: Int64, _ devices: Int) {
    charged[seqno, default: 0] += Int64(devices)
  }
}
