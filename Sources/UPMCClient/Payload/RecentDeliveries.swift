/// The latest pushes that the system has reported, so that the app is told of each once: the system may report a push
/// twice. If a tapped push starts the app, for example, the launch options contain it, and the notification center's
/// delegate is called for it as well.
package struct RecentDeliveries: Sendable {
  /// An event of a push's life. Each is remembered by itself.
  package enum Event: Sendable {
    /// The push has arrived.
    case arrived
    /// The user has opened the push.
    case opened
  }

  private struct Delivery: Equatable, Sendable {
    let seqno: String
    let event: Event
  }

  /// Maximum events remembered. The second report of a push follows the first within seconds.
  package static let most = 100
  private var latest: [Delivery] = []

  /// Creates an empty memory.
  package init() {}

  /// Returns true, and remembers the event, unless it is among the latest.
  package mutating func isFirst(_ event: Event, of payload: ReceivedPayload) -> Bool {
    let delivery = Delivery(seqno: payload.seqno, event: event)
    guard !latest.contains(delivery) else { return false }
    latest = latest.suffix(Self.most - 1) + [delivery]
    return true
  }
}
