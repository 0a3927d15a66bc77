internal import Synchronization

/// How many bytes many holders may have together, of memory or of the disk, and how many they have: so that many slow
/// uploads, or many clients that never end one, cannot fill the machine. No I/O.
///
/// What is counted is what has really come: who announces much and sends nothing keeps nobody out. Only the server's loop
/// takes; whoever is the last to have a body gives its room back, on any thread.
final class ByteBudget: Sendable {
  let limit: Int
  private let taken = Atomic(0)

  init(limit: Int) {
    self.limit = limit
  }

  var held: Int { taken.load(ordering: .relaxed) }

  /// Whether so many bytes more would fit now. A hint: others take some meanwhile.
  func hasRoom(for bytes: Int) -> Bool { held + bytes <= limit }

  /// False when it would be too much: nothing was taken.
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
