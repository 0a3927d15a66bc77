internal import Reactor
internal import Synchronization

/// How much room the large bodies of one server's requests hold together, in memory or on the disk, and how much they may:
/// so that many slow uploads, or many clients that never end one, cannot fill the machine. No I/O.
///
/// What is counted is what has really come: who announces much and sends nothing keeps nobody out. Only the server's loop
/// takes; whoever is the last to have a body gives its room back, on any thread.
final class BodyMemory: Sendable {
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
    precondition(bytes <= before, "more memory is given back than was taken")
  }
}

/// What one body holds. Its connection has it from the first large read until the answer, and so has every copy that a
/// handler keeps: with the last of them the room is free again. A client that leaves frees nothing that is still worked on.
final class BodyShare: Sendable {
  private let memory: BodyMemory
  private let taken = Atomic(0)

  init(of memory: BodyMemory) {
    self.memory = memory
  }

  deinit { memory.give(bytes) }

  var bytes: Int { taken.load(ordering: .relaxed) }

  /// Takes what is missing to so many bytes. False when that would be too much: it stays as it was.
  func grow(to bytes: Int) -> Bool {
    let more = bytes - self.bytes
    guard more > 0 else { return true }
    guard memory.take(more) else { return false }
    taken.add(more, ordering: .relaxed)
    return true
  }
}
