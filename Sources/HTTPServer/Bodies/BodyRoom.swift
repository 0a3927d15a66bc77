/// The memory and disk budget held by the current request: from the first large read of a head or body until the
/// request is answered, since the handler may keep a copy.
///
/// Invariant: small requests are not counted; a large one is counted with at least what has arrived of it.
/// Decision 093.
struct BodyRoom {
  /// Nil unless the request is large.
  private(set) var memory: BodyShare?
  private(set) var disk: BodyShare?

  /// True when nothing is counted.
  var isEmpty: Bool { memory == nil && disk == nil }

  /// Raises the count to what the request holds now. Returns false when that exceeds a budget.
  mutating func count(held: Int, of memory: ByteBudget, spooled: Int, of disk: ByteBudget) -> Bool {
    if spooled > 0, !Self.grow(&self.disk, to: spooled, of: disk) { return false }
    return held <= HTTPLimits.freeBodyBytes || Self.grow(&self.memory, to: held, of: memory)
  }

  private static func grow(_ share: inout BodyShare?, to bytes: Int, of budget: ByteBudget) -> Bool {
    let present = share ?? BodyShare(of: budget)
    share = present
    return present.grow(to: bytes)
  }

  /// The connection no longer needs the body.
  mutating func giveBack() {
    memory = nil
    disk = nil
  }
}
