internal import Synchronization

/// A budget of bytes, of memory or disk, shared by many holders: neither many slow uploads nor clients that never
/// finish one can fill the machine. No I/O.
///
/// Only bytes that have arrived count: announcing much and sending nothing keeps no one out. Only the server's loop
/// takes; the last holder of a body gives its room back, on any thread.
final class ByteBudget: Sendable {
  let limit: Int
  private let taken = Atomic(0)

  init(limit: Int) {
    self.limit = limit
  }

  var held: Int { taken.load(ordering: .relaxed) }

  /// Whether so many bytes more would fit now. Only a hint.
  func hasRoom(for bytes: Int) -> Bool { held + bytes <= limit }

  /// Returns false, taking nothing, when it would exceed the limit.
  func take(_ bytes: Int) -> Bool {
    guard hasRoom(for: bytes) else { return false }
    taken.add(bytes, ordering: .relaxed)
    return true
  }

  func give(_ bytes: Int) {
    let before = taken.subtract(bytes, ordering: .relaxed).oldValue
    precondition(bytes <= before, "more bytes are given back than were taken")
  }
}
