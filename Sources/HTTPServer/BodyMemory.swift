/// How much memory the large bodies of one server's requests hold together, and how much they may: so that many slow
/// uploads, or many clients that never end one, cannot fill the machine. One owner, no I/O.
///
/// What is counted is what has really come: who announces much and sends nothing keeps nobody out.
struct BodyMemory {
  let limit: Int
  private(set) var held = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Whether so many bytes more would fit now. A hint: others take some meanwhile.
  func hasRoom(for bytes: Int, leaving reserve: Int = 0) -> Bool { held + bytes <= limit - reserve }

  /// False when it would be too much: nothing was taken.
  mutating func take(_ bytes: Int, leaving reserve: Int = 0) -> Bool {
    guard hasRoom(for: bytes, leaving: reserve) else { return false }
    held += bytes
    return true
  }

  mutating func give(_ bytes: Int) {
    precondition(bytes <= held, "more memory is given back than was taken")
    held -= bytes
  }
}

/// A connection's share: from the first large read of a head or a body until its request is answered, since whoever works
/// on it has a copy.
extension Connection {
  /// Whether the present body holds something of what is counted.
  var isCounted: Bool { countedBytes > 0 || countedSpoolBytes > 0 }

  /// Whether a body of this length would fit beside the others now.
  func hasRoomForBody(_ length: Int) -> Bool {
    if request.store.isSpooled { return server.spools.hasRoom(for: length, leaving: spoolReserve) }
    return length <= HTTPLimits.freeBodyBytes || server.bodies.hasRoom(for: length)
  }

  /// Counts what the present request holds by now. False when that would be too much.
  func countBody() -> Bool {
    guard countSpool() else { return false }
    let bytes = request.store.heldBytes
    guard bytes > HTTPLimits.freeBodyBytes, bytes > countedBytes else { return true }
    guard server.bodies.take(bytes - countedBytes) else { return false }
    countedBytes = bytes
    return true
  }

  /// The handler has seen the body, and copied what it wants to keep.
  func letGoOfBody() {
    request.store.trim()
    // Answered already, or nobody to answer: nothing of it is left.
    if phase != .handling, phase != .streaming { giveBack() }
  }

  /// The request was refused: what has come of its body is of no use.
  func dropBody() {
    request.store.discard()
    giveBack()
  }

  func giveBack() {
    if countedSpoolBytes > 0 {
      server.spools.give(countedSpoolBytes)
      countedSpoolBytes = 0
    }
    guard countedBytes > 0 else { return }
    server.bodies.give(countedBytes)
    countedBytes = 0
  }

  func refuseBody() {
    server.counters.overloaded &+= 1
    refuse(
      .serviceUnavailable, "Too many large requests are under way. Try again in a moment.",
      headers: [("Retry-After", "1")])
  }
}
