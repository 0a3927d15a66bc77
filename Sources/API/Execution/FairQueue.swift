internal import Domain

/// The order in which waiting requests get a thread, and how many may wait. No I/O, no threads.
///
/// ```
///   round-robin over tenants:      app 1 ── app 2 ── a platform administrator ── strangers ── app 1 …
///   over the callers of a tenant:    key a ── key b ── account c ── key a …
///   over a caller's requests:          the oldest first
/// ```
/// A tenant, a caller, and all heavy requests together can each use all threads but one (and at least one); beyond that
/// their requests are passed over.
///
/// When the queue is full, a new request displaces the newest request of the caller with the most waiting requests, in
/// the tenant with the most. When its own tenant's quota is used up, it displaces the newest request of the caller with
/// the most in that tenant. When bodies fill the memory, it displaces the newest bodies of the tenant with the most
/// bytes. The new request is refused unless the displaced tenant or caller has more waiting than the new request's own
/// would have.
///
/// Decision 091.
struct FairQueue {
  struct Shares: Sendable {
    /// Maximum numbers of waiting requests: in the whole queue, per tenant, and per caller.
    var requests = AdminLimits.waitingRequests
    var requestsOfTenant = AdminLimits.waitingRequestsOfTenant
    var requestsOfCaller = AdminLimits.waitingRequestsOfCaller
    /// Maximum sizes in bytes of the bodies of waiting requests, in the whole queue and per tenant. A request longer
    /// than the tenant's quota is accepted if the tenant has no other waiting.
    var bytes = AdminLimits.waitingBytes
    var bytesOfTenant = AdminLimits.waitingBytesOfTenant
    /// Maximum number of threads that one tenant, one caller, or all heavy requests together may use at a time: all but
    /// one, and at least one.
    var threads: Int

    /// Creates the default quotas.
    /// - Parameter threads: the total number of threads.
    init(threads: Int) {
      self.threads = max(1, threads - 1)
    }
  }

  enum Outcome {
    case entered
    /// The request was accepted, and displaced others, which the caller must refuse.
    case enteredInstead(of: [AdminWork])
    case refused(Problem)
  }

  /// What a tenant or a caller uses: its waiting and running requests, and the bytes of the waiting ones.
  private struct Usage {
    /// Turn of the tenant or caller; the lowest turn is next.
    var turn: UInt64
    var waiting = 0
    var bytes = 0
    var working = 0

    var isGone: Bool { waiting == 0 && working == 0 }
  }

  private let shares: Shares
  /// Waiting requests, oldest first.
  private var waiting: [AdminWork] = []
  private var bytes = 0
  private var heavy = 0
  private var turn: UInt64 = 0
  private var tenants: [QuotaHolder.Tenant: Usage] = [:]
  private var members: [QuotaHolder.Member: Usage] = [:]

  init(_ shares: Shares) {
    self.shares = shares
  }

  var isEmpty: Bool { waiting.isEmpty }

  /// Number of tenants and callers with waiting or running requests, for tests.
  var remembered: Int { tenants.count + members.count }

  // MARK: Entering

  /// Returns the problem with which one more request with a body of this size would be refused now; nil if it would be
  /// accepted, possibly in place of others. Changes nothing. Called before the request is copied.
  func refusal(of party: QuotaHolder, bytes: Int) -> Problem? {
    do throws(Problem) {
      _ = try victims(of: party, bytes: bytes)
      return nil
    } catch {
      return error
    }
  }

  mutating func enter(_ work: AdminWork) -> Outcome {
    let victims: [Int]
    do throws(Problem) {
      victims = try self.victims(of: work.party, bytes: work.bodyBytes)
    } catch {
      return .refused(error)
    }
    // Remove from the end, so that the other indices stay valid.
    let gone = victims.sorted(by: >).map { leave(at: $0) }
    for former in gone { forget(former.party) }
    waiting.append(work)
    bytes += work.bodyBytes
    change(work.party) { usage in
      usage.waiting += 1
      usage.bytes += work.bodyBytes
    }
    return gone.isEmpty ? .entered : .enteredInstead(of: gone)
  }

  /// Returns the indices of the requests that must be displaced to accept one more; empty if there is room.
  /// - Throws: `.tooManyRequests` if the caller's quota of requests or its tenant's quota of bytes is used up, or if
  ///   its tenant's quota of requests is used up and no request of another caller in the tenant can be displaced.
  ///   `.busy` if the queue or its memory is full and nothing can be displaced; and, for unauthenticated clients, also
  ///   if their tenant's quota is used up.
  private func victims(of party: QuotaHolder, bytes: Int) throws(Problem) -> [Int] {
    let (tenant, member) = (tenants[party.tenant], members[party.member])
    let isStranger = party.tenant == .strangers
    if (member?.waiting ?? 0) >= shares.requestsOfCaller {
      throw Self.tooMany(shares.requestsOfCaller, "requests of \(party.member.name)")
    }
    // A request longer than a tenant's whole quota is accepted when nothing else of that tenant waits.
    if let tenant, tenant.waiting > 0, tenant.bytes + bytes > shares.bytesOfTenant {
      throw isStranger ? Self.full : Self.tooMany(shares.bytesOfTenant >> 20, "MiB in requests of \(party.tenant.name)")
    }
    var victims: [Int] = []
    if (tenant?.waiting ?? 0) >= shares.requestsOfTenant {
      guard let own = victim(for: party, in: party.tenant) else {
        throw isStranger ? Self.full : Self.tooMany(shares.requestsOfTenant, "requests of \(party.tenant.name)")
      }
      victims = [own]
    } else if waiting.count >= shares.requests {
      guard let other = victim(for: party) ?? victim(for: party, in: party.tenant) else { throw Self.full }
      victims = [other]
    }
    let freed = victims.reduce(0) { $0 + waiting[$1].bodyBytes }
    let missing = self.bytes - freed + bytes - shares.bytes
    guard bytes > 0, missing > 0, waiting.count > victims.count else { return victims }
    guard let bodies = bodies(for: party, bytes: bytes, missing: missing, besides: victims) else { throw Self.full }
    return victims + bodies
  }

  static let full = Problem(.busy, "Too many admin requests are waiting. Try again in a moment.")

  private static func tooMany(_ count: Int, _ whose: Sentence) -> Problem {
    Problem(.tooManyRequests, "\(count) \(whose) wait already. Wait for answers before sending more.")
  }

  /// Returns the index of the request to displace in another tenant: in the tenant with the most waiting requests, the
  /// newest request of the caller with the most. Nil unless that tenant has more waiting than the party's tenant would
  /// have.
  private func victim(for party: QuotaHolder) -> Int? {
    guard let most = tenants.max(by: { $0.value.waiting < $1.value.waiting }),
      most.value.waiting > (tenants[party.tenant]?.waiting ?? 0) + 1
    else { return nil }
    return newest(of: most.key)
  }

  /// Returns the index of the newest request of the tenant's caller with the most waiting requests; nil unless that
  /// caller has more waiting than the party's caller would have.
  private func victim(for party: QuotaHolder, in tenant: QuotaHolder.Tenant) -> Int? {
    guard let newest = newest(of: tenant), let most = members[waiting[newest].party.member],
      most.waiting > (members[party.member]?.waiting ?? 0) + 1
    else { return nil }
    return newest
  }

  /// Returns the indices of the newest requests with bodies of the tenant with the most bytes, as many as free
  /// `missing` bytes. Nil if that tenant does not have more bytes than the party's tenant would have, or if its bodies
  /// are not enough.
  /// - Parameter victims: requests that are displaced anyway, which are not returned again.
  private func bodies(for party: QuotaHolder, bytes: Int, missing: Int, besides victims: [Int]) -> [Int]? {
    guard let most = tenants.max(by: { $0.value.bytes < $1.value.bytes }),
      most.value.bytes > (tenants[party.tenant]?.bytes ?? 0) + bytes
    else { return nil }
    var (bodies, missing) = ([Int](), missing)
    for index in waiting.indices.reversed() where missing > 0 && !victims.contains(index) {
      let work = waiting[index]
      guard work.party.tenant == most.key, work.bodyBytes > 0 else { continue }
      bodies.append(index)
      missing -= work.bodyBytes
    }
    return missing > 0 ? nil : bodies
  }

  /// Returns the index of the newest request of the tenant's caller with the most waiting requests; nil if the tenant
  /// has none waiting.
  private func newest(of tenant: QuotaHolder.Tenant) -> Int? {
    let own = waiting.lazy.filter { $0.party.tenant == tenant }
    guard
      let most = own.max(by: { (members[$0.party.member]?.waiting ?? 0) < (members[$1.party.member]?.waiting ?? 0) })
    else { return nil }
    return waiting.lastIndex { $0.party == most.party }
  }

  // MARK: Leaving

  /// Removes and returns the next request in turn, which then counts as running until `finish`; nil if none waits or
  /// none may begin now.
  /// - Parameter ignoringShares: true to ignore the quotas of threads.
  mutating func next(ignoringShares: Bool = false) -> AdminWork? {
    var best: (index: Int, tenant: UInt64, member: UInt64)?
    for (index, work) in waiting.enumerated() {
      guard let tenant = tenants[work.party.tenant], let member = members[work.party.member] else { continue }
      let mayBegin =
        tenant.working < shares.threads && member.working < shares.threads
        && (work.load != .heavy || heavy < shares.threads)
      guard ignoringShares || mayBegin else { continue }
      if let best, (best.tenant, best.member) <= (tenant.turn, member.turn) { continue }
      best = (index, tenant.turn, member.turn)
    }
    guard let best else { return nil }
    let work = leave(at: best.index)
    turn += 1
    if work.load == .heavy { heavy += 1 }
    let turn = turn
    change(work.party) { usage in
      usage.turn = turn
      usage.working += 1
    }
    return work
  }

  /// Records that a request returned by `next` is done.
  mutating func finish(_ work: AdminWork) {
    if work.load == .heavy { heavy -= 1 }
    change(work.party) { $0.working -= 1 }
    forget(work.party)
  }

  private mutating func leave(at index: Int) -> AdminWork {
    let work = waiting.remove(at: index)
    bytes -= work.bodyBytes
    change(work.party) { usage in
      usage.waiting -= 1
      usage.bytes -= work.bodyBytes
    }
    return work
  }

  /// Changes the usage of the party's tenant and caller. A tenant or caller that had none gets the last turn.
  private mutating func change(_ party: QuotaHolder, _ body: (inout Usage) -> Void) {
    turn += 1
    body(&tenants[party.tenant, default: Usage(turn: turn)])
    body(&members[party.member, default: Usage(turn: turn)])
  }

  private mutating func forget(_ party: QuotaHolder) {
    if tenants[party.tenant]?.isGone == true { tenants[party.tenant] = nil }
    if members[party.member]?.isGone == true { members[party.member] = nil }
  }
}

extension QuotaHolder.Tenant {
  /// The tenant as named in refusals.
  var name: Sentence {
    switch self {
    case .app: "this app"
    case .member(let member): member.name
    case .strangers: "callers that are not known yet"
    }
  }
}
