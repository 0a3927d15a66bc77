internal import Domain

/// Whose turn it is: lanes in order, and within a lane every message the same share, however large it is and whenever it
/// came. Each message is charged what was claimed of it; whoever was charged least is next. One that begins, or comes back
/// after a pause, starts from where the others are: it is served at once, but catches nothing up.
struct FairShare {
  typealias Waiting = (seqno: Int64, lane: Lane)

  /// Devices charged to each message that waited at the last look.
  private var charged: [Int64: Int64] = [:]

  /// The next to claim for, best first.
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
      // Of two that stand the same, the newer: it has had nothing yet.
      return (left.lane.rawValue, a, -left.seqno) < (right.lane.rawValue, b, -right.seqno)
    }
  }

  mutating func charge(_ seqno: Int64, _ devices: Int) {
    charged[seqno, default: 0] += Int64(devices)
  }
}
