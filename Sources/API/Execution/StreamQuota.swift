internal import Domain
internal import Synchronization

/// Limits the number of concurrent streamed answers of one kind: in total, per tenant, and per caller (`QuotaHolder`).
/// Callable from any thread.
final class StreamQuota: Sendable {
  struct Shares: Sendable {
    let all: Int
    let ofTenant: Int
    let ofCaller: Int
    /// What refusals call these answers, in the plural, such as "exports".
    let name: Sentence
  }

  private struct Taken {
    var all = 0
    var tenants: [QuotaHolder.Tenant: Int] = [:]
    var members: [QuotaHolder.Member: Int] = [:]
  }

  private let shares: Shares
  private let taken = Mutex(Taken())

  init(_ shares: Shares) {
    self.shares = shares
  }

  /// Reserves a place, until it is released or no longer referenced.
  /// - Throws: `.tooManyRequests` if the caller or its tenant has used its quota, `.busy` if all places are taken.
  func take(_ party: QuotaHolder) throws(Problem) -> StreamPlace {
    let problem = taken.withLock { taken -> Problem? in
      if taken.members[party.member, default: 0] >= shares.ofCaller { return over(shares.ofCaller, party.member.name) }
      if taken.tenants[party.tenant, default: 0] >= shares.ofTenant { return over(shares.ofTenant, party.tenant.name) }
      if taken.all >= shares.all {
        return Problem(.busy, "All \(shares.all) \(shares.name) are open. Try again in a moment.")
      }
      taken.all += 1
      taken.members[party.member, default: 0] += 1
      taken.tenants[party.tenant, default: 0] += 1
      return nil
    }
    if let problem { throw problem }
    return StreamPlace { [weak self] in self?.release(party) }
  }

  private func over(_ share: Int, _ whose: Sentence) -> Problem {
    Problem(
      .tooManyRequests,
      "\(share) \(shares.name) of \(whose) are open already, which is its share. Close one, or wait for its end.")
  }

  private func release(_ party: QuotaHolder) {
    taken.withLock { taken in
      taken.all -= 1
      Self.lessen(&taken.members[party.member])
      Self.lessen(&taken.tenants[party.tenant])
    }
  }

  private static func lessen(_ count: inout Int?) {
    guard let present = count else { preconditionFailure("a place is given back that was not taken") }
    count = present > 1 ? present - 1 : nil
  }
}

/// A reserved place of a `StreamQuota`. It is released by `release`, or with the last reference to this object.
final class StreamPlace: Sendable {
  private let isGivenBack = Atomic(false)
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  deinit { release() }

  /// Releases the place. Further calls have no effect. Callable from any thread.
  func release() {
    if !isGivenBack.exchange(true, ordering: .relaxed) { action() }
  }
}
