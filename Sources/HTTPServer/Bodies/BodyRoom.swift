/// What the present request's body has been counted with: from the first large read of a head or a body until the request
/// is answered, since the handler may keep a copy.
///
/// Invariant: what small requests hold is not counted, and of a large one never less than what has come of it.
struct BodyRoom {
  /// Nil for all but large ones.
  private(set) var memory: BodyShare?
  private(set) var disk: BodyShare?

  /// Nothing is counted.
  var isEmpty: Bool { memory == nil && disk == nil }

  /// Counts what the request holds by now. False when that would be too much.
  mutating func count(held: Int, of memory: ByteBudget, spooled: Int, of disk: ByteBudget) -> Bool {
    if spooled > 0, !Self.grow(&self.disk, to: spooled, of: disk) { return false }
    return held <= HTTPLimits.freeBodyBytes || Self.grow(&self.memory, to: held, of: memory)
  }

  private static func grow(_ share: inout BodyShare?, to bytes: Int, of budget: ByteBudget) -> Bool {
    let present = share ?? BodyShare(of: budget)
    share = present
    return present.grow(to: bytes)
  }

  /// The connection has no use for the body any more.
  mutating func giveBack() {
    memory = nil
    disk = nil
  }
}
