package import Reactor

/// Delays requests with an unknown client key until the catalog has been refreshed: an app that was just created on
/// another thread or node must not be refused. The delay also slows down the guessing of keys. For use on the event
/// loop's thread only. Decision 088.
package final class UnknownKeyDelay {
  private struct Waiting {
    let generation: Int
    let resume: () -> Void
  }

  /// Maximum number of delayed requests; further ones are refused at once.
  private static let capacity = 256
  private static let interval: Duration = .milliseconds(20)

  private let catalog: Catalog
  private let loop: EventLoop
  private var waiting: [Waiting] = []

  package init(catalog: Catalog, loop: EventLoop) {
    self.catalog = catalog
    self.loop = loop
  }

  /// Requests refreshes of the catalog and, after the second one, calls `resume` on the event loop: a new app can then
  /// be looked up. Returns at once; false if too many requests are waiting, and `resume` is then never called.
  package func wait(_ resume: @escaping () -> Void) -> Bool {
    guard waiting.count < Self.capacity else { return false }
    // A refresh in progress may have begun before the app was created, but the one after it is certain to include the
    // app.
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
