internal import Synchronization

/// A limit on the total bytes, in memory or on disk, that many requests may hold, so that neither many slow uploads nor
/// clients that never finish one exhaust the machine.
///
/// Counts only bytes that have arrived, so announcing a large body does not block others. Only the server's loop takes
/// from the budget; any thread may release.
final class ByteBudget: Sendable {
  let limit: Int
  private let taken = Atomic(0)

  init(limit: Int) {
    self.limit = limit
  }

  var held: Int { taken.load(ordering: .relaxed) }

  /// Returns whether `bytes` more would fit now; another thread may change that at any time.
  func hasRoom(for bytes: Int) -> Bool { held + bytes <= limit }

  /// Takes `bytes` from the budget. Returns false, taking nothing, if the limit would be exceeded.
  fileprivate func take(_ bytes: Int) -> Bool {
    guard hasRoom(for: bytes) else { return false }
    taken.add(bytes, ordering: .relaxed)
    return true
  }

  fileprivate func release(_ bytes: Int) {
    let before = taken.subtract(bytes, ordering: .relaxed).oldValue
    precondition(bytes <= before, "more bytes are given back than were taken")
  }
}

/// One request's share of a budget. The connection keeps a reference to it from the first large read until the
/// response, and so does every copy of the request that a handler keeps; the bytes return to the budget with the last
/// reference. A client that disconnects therefore releases nothing that is still being processed.
final class BodyShare: Sendable {
  private let budget: ByteBudget
  private let taken = Atomic(0)

  init(of budget: ByteBudget) {
    self.budget = budget
  }

  deinit { budget.release(bytes) }

  var bytes: Int { taken.load(ordering: .relaxed) }

  /// Raises the share to `bytes` in total; never lowers it. Returns false, changing nothing, if that exceeds the
  /// budget.
  func grow(to bytes: Int) -> Bool {
    let more = bytes - self.bytes
    guard more > 0 else { return true }
    guard budget.take(more) else { return false }
    taken.add(more, ordering: .relaxed)
    return true
  }
}

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
