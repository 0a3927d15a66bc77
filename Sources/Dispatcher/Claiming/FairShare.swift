internal import Domain

/// The order in which messages are claimed from: strictly by lane, and within a lane with equal shares for all
/// messages, whatever their size and age. Each message is charged for the devices claimed from it, and the one charged
/// least is next. A message that starts, or returns after a pause, starts at the lowest charge in its lane: it is
/// served at once but does not catch up on the past. Decision 056.
struct FairShare {
  typealias Waiting = (seqno: Seqno, lane: Lane)

  /// Number of devices charged to each message that was waiting at the last ordering.
  private var charged: [Seqno: Int64] = [:]

  /// Returns the waiting messages in the order in which to claim from them: by lane, then least charged first, then
  /// newest first. Forgets the charges of all other messages.
  mutating func order(_ waiting: [Waiting]) -> [Waiting] {
    var present: [Seqno: Int64] = [:]
    for lane in Lane.allCases {
      let messages = waiting.filter { $0.lane == lane }
      let least = messages.compactMap { charged[$0.seqno] }.min() ?? 0
      for message in messages { present[message.seqno] = max(charged[message.seqno] ?? least, least) }
    }
    charged = present
    return waiting.sorted { left, right in
      let (a, b) = (charged[left.seqno] ?? 0, charged[right.seqno] ?? 0)
      // On a tie the newer message comes first, because it has had nothing yet.
      return (left.lane.rawValue, a, right.seqno) < (right.lane.rawValue, b, left.seqno)
    }
  }

  mutating func charge(_ seqno: Seqno, _ devices: Int) {
    charged[seqno, default: 0] += Int64(devices)
  }
}
