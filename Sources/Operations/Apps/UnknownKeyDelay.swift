package import Reactor

/// Lets requests with an unknown client key wait until the catalog has been read once more: an app that was created a
/// moment ago on another thread or node must not be refused. It slows down whoever tries keys, too.
package final class UnknownKeyDelay {
  private struct Waiting {
    let generation: Int
    let resume: () -> Void
  }

  /// Requests that may wait; more are refused at once.
  private static let capacity = 256
  private static let interval: Duration = .milliseconds(20)

  private let catalog: Catalog
  private let loop: EventLoop
  private var waiting: [Waiting] = []

  package init(catalog: Catalog, loop: EventLoop) {
    self.catalog = catalog
    self.loop = loop
  }

  /// False when too many wait: `resume` will not be called.
  package func wait(_ resume: @escaping () -> Void) -> Bool {
    guard waiting.count < Self.capacity else { return false }
    // The reading under way may have begun before the app was made: two more are certain to see it.
    waiting.append(Waiting(generation: catalog.generation + 2, resume: resume))
    catalog.wanted.signal()
    if waiting.count == 1 { look() }
    return true
  }

  private func look() {
    loop.schedule(after: Self.interval) { [self] in
      let present = catalog.generation
      let ready = waiting.filter { $0.generation <= present }
      waiting.removeAll { $0.generation <= present }
      for request in ready { request.resume() }
      guard !waiting.isEmpty else { return }
      catalog.wanted.signal()
      look()
    }
  }
}
