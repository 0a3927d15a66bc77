/// What a connection holds of the memory and disk space for large bodies: from the first large read of a head or a body until
/// its request is answered, since the handler may keep a copy.
extension Connection {
  /// Whether the current body holds memory or disk space that is counted.
  var isCounted: Bool { request.share != nil || request.spoolShare != nil }

  /// Whether a body of this length would fit beside the others now.
  func hasRoomForBody(_ length: Int) -> Bool {
    if request.store.isSpooled { return server.spools.hasRoom(for: length) }
    return length <= HTTPLimits.freeBodyBytes || server.bodies.hasRoom(for: length)
  }

  /// Counts what the present request holds by now. False when that would be too much.
  func countBody() -> Bool {
    guard countSpool() else { return false }
    let bytes = request.store.heldBytes
    guard bytes > HTTPLimits.freeBodyBytes else { return true }
    let share = request.share ?? BodyShare(of: server.bodies)
    request.share = share
    return share.grow(to: bytes)
  }

  /// The handler has seen the body, and copied what it wants to keep.
  func letGoOfBody() {
    request.store.trim()
    // Answered already, or nobody left to answer.
    if phase != .handling, phase != .streaming { giveBack() }
  }

  /// The request was refused: what has come of its body is of no use.
  func dropBody() {
    request.store.discard()
    giveBack()
  }

  /// The connection has no use for the body any more.
  func giveBack() {
    request.share = nil
    request.spoolShare = nil
  }

  func refuseBody() {
    server.counters.overloaded &+= 1
    refuse(
      .serviceUnavailable, "Too many large requests are under way. Try again in a moment.",
      headers: [("Retry-After", "1")])
  }
}
