internal import Reactor
import Synchronization

/// Copies of the template, made ahead by a thread of its own: a test that wants one does not wait for PostgreSQL to copy it.
///
/// The first test starts it. Whoever finds it empty makes a copy by itself, and hears what is wrong where that fails.
final class TestDatabasePool: Sendable {
  /// Copies that lie ready at most: a test process works at a few tests at once.
  private static let size = 4

  private let ready = Mutex<[TestDatabase]>([])
  private let wanted: Wakeup?
  private let make: @Sendable () throws -> TestDatabase

  /// - Parameter make: makes a copy; on any thread.
  init(make: @escaping @Sendable () throws -> TestDatabase) {
    self.make = make
    wanted = try? Wakeup()
    guard wanted != nil else { return }
    _ = try? Thread(name: "test-databases") { [self] in keepFull() }
  }

  func take() throws -> TestDatabase {
    let copy = ready.withLock { $0.popLast() }
    wanted?.signal()
    return try copy ?? make()
  }

  /// Never returns while copies can be made; the thread ends with the process.
  private func keepFull() {
    while let wanted {
      wanted.drain()
      while ready.withLock({ $0.count }) < Self.size {
        guard let copy = try? make() else { return }
        ready.withLock { $0.append(copy) }
      }
      _ = wanted.wait(atMost: .seconds(3600))
    }
  }
}
