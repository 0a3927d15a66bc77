/// The current request's share of the memory and disk budgets, from the first large read of its head or body until it
/// is answered.
///
/// Invariant: small requests are not counted; a large one is counted with at least the bytes that have arrived.
/// Decision 093.
struct BodyShares {
  /// Share of the memory budget; nil before the request holds more than `HTTPLimits.freeBodyBytes`, and after
  /// `release`.
  private(set) var memory: BodyShare?
  /// Share of the disk budget; nil before bytes of the body were spooled, and after `release`.
  private(set) var disk: BodyShare?

  /// True if nothing is counted against the budgets.
  var isEmpty: Bool { memory == nil && disk == nil }

  /// Raises the shares to the bytes that the request holds in memory and on disk; memory up to
  /// `HTTPLimits.freeBodyBytes` is not counted. Returns false if that exceeds a budget.
  mutating func count(held: Int, of memory: ByteBudget, spooled: Int, of disk: ByteBudget) -> Bool {
    if spooled > 0, !Self.grow(&self.disk, to: spooled, of: disk) { return false }
    return held <= HTTPLimits.freeBodyBytes || Self.grow(&self.memory, to: held, of: memory)
  }

  private static func grow(_ share: inout BodyShare?, to bytes: Int, of budget: ByteBudget) -> Bool {
    let present = share ?? BodyShare(of: budget)
    share = present
    return present.grow(to: bytes)
  }

  /// Drops the connection's references to the shares. Their bytes return to the budgets when no handler keeps a copy of
  /// the request either.
  mutating func release() {
    memory = nil
    disk = nil
  }
}
