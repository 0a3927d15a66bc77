package import Reactor

/// Waits for what several threads offer.
extension Inbox {
  /// Waits until `count` items have come, and returns these and whatever came with the last of them, in order.
  /// - Parameter complaint: what is wrong when they do not come.
  /// - Throws: ``WaitedInVain`` when they have not come within `.patience`, or the inbox is closed before.
  package func receive(_ count: Int, or complaint: @autoclosure () -> String) throws -> [Item] {
    let clock = SystemClock()
    let end = clock.now + .patience
    var items: [Item] = []
    while items.count < count {
      let more = receive(atMost: max(.zero, end - clock.now))
      guard !more.isEmpty else { throw WaitedInVain("\(complaint()): \(items.count) of \(count)") }
      items += more
    }
    return items
  }
}
