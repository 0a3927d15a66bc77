import Postgres
import Reactor
import TestSupport
import Testing

/// Does the same work on two threads at a time, each with a connection of its own, as two nodes would; fails the test when
/// one of them has an error or does not end within a minute.
func onTwoThreads(_ url: String, _ work: @escaping @Sendable (Connection) throws -> Void) throws {
  let done = try Inbox<String?>(capacity: 2)
  for name in ["one", "two"] {
    _ = try Thread(name: name) {
      do {
        try work(TestDatabase.connect(to: url))
        _ = done.offer(nil)
      } catch {
        _ = done.offer("\(error)")
      }
    }
  }
  var ended = 0
  while ended < 2 {
    let results = done.receive(atMost: .patience)
    try #require(!results.isEmpty, "\(2 - ended) threads have not ended")
    for failure in results { #expect(failure == nil) }
    ended += results.count
  }
}
