internal import Domain

/// The order in which requests that wait get a thread, and how many may wait. No I/O, no threads.
///
/// ```
///   tenants take turns:      app 1 ── app 2 ── a platform administrator ── strangers ── app 1 …
///   its callers take turns:    key a ── key b ── account c ── key a …
///   a caller's requests:         the oldest first
/// ```
/// Nobody's turn comes while it holds its share of the threads already: all but one. So does nobody hold the last thread with
/// what takes long by its nature. Where the line is full, whoever waits with more gives way to whoever waits with less: its
/// newest request is refused. So no number of requests keeps somebody out who asks for little.
struct FairLine {
  struct Shares: Sendable {
    /// Requests in the whole line, of one tenant, of one caller.
    var requests = Admin.Limits.waitingRequests
    var requestsOfTenant = Admin.Limits.waitingRequestsOfTenant
    var requestsOfCaller = Admin.Limits.waitingRequestsOfCaller
    /// Their bodies in memory.
    var bytes = Admin.Limits.waitingBytes
    var bytesOfTenant = Admin.Limits.waitingBytesOfTenant
    /// Threads that one tenant, one caller, or all heavy requests may hold at one time.
    var threads: Int

    /// - Parameter threads: how many there are in all.
    init(threads: Int) {
      self.threads = max(1, threads - 1)
    }
  }

  enum Outcome {
    case entered
    /// This one gave way, and is to be refused.
    case enteredInstead(of: AdminWork)
    case refused(Problem)
  }

  /// What a tenant, or a caller, has in the line and at work.
  private struct Standing {
    /// Whoever has the lowest is next.
    var turn: UInt64
    var waiting = 0
    var bytes = 0
    var working = 0

    var isGone: Bool { waiting == 0 && working == 0 }
  }

  private let shares: Shares
  /// The oldest first.
  private var waiting: [AdminWork] = []
  private var bytes = 0
  private var heavy = 0
  private var turn: UInt64 = 0
  private var tenants: [Party.Tenant: Standing] = [:]
  private var members: [Party.Member: Standing] = [:]

  init(_ shares: Shares) {
    self.shares = shares
  }

  var isEmpty: Bool { waiting.isEmpty }

  // MARK: Entering

  /// Why one more request with so long a body would be refused now; nil when it would not. Looked at before it is copied.
  func refusal(of party: Party, bytes: Int) -> Problem? {
    let (tenant, member) = (tenants[party.tenant], members[party.member])
    let isFirst = (tenant?.waiting ?? 0) == 0
    if (member?.waiting ?? 0) >= shares.requestsOfCaller {
      return Self.tooMany(shares.requestsOfCaller, "requests of \(party.member)")
    }
    if !isFirst, (tenant?.bytes ?? 0) + bytes > shares.bytesOfTenant {
      if party.tenant == .strangers { return Self.full }
      return Self.tooMany(shares.bytesOfTenant >> 20, "MiB in requests of \(party.tenant)")
    }
    if !waiting.isEmpty, self.bytes + bytes > shares.bytes { return Self.full }
    if (tenant?.waiting ?? 0) >= shares.requestsOfTenant, victim(for: party, in: party.tenant) == nil {
      if party.tenant == .strangers { return Self.full }
      return Self.tooMany(shares.requestsOfTenant, "requests of \(party.tenant)")
    }
    if waiting.count >= shares.requests, victim(for: party) == nil { return Self.full }
    return nil
  }

  mutating func enter(_ work: AdminWork) -> Outcome {
    let party = work.party
    if let problem = refusal(of: party, bytes: work.bodyBytes) { return .refused(problem) }
    var gone: AdminWork?
    if (tenants[party.tenant]?.waiting ?? 0) >= shares.requestsOfTenant {
      gone = victim(for: party, in: party.tenant).map { leave(at: $0) }
    } else if waiting.count >= shares.requests {
      gone = victim(for: party).map { leave(at: $0) }
    }
    waiting.append(work)
    bytes += work.bodyBytes
    change(party) { standing in
      standing.waiting += 1
      standing.bytes += work.bodyBytes
    }
    return gone.map(Outcome.enteredInstead) ?? .entered
  }

  static let full = Problem(.busy, "Too many admin requests are waiting. Try again in a moment.")

  private static func tooMany(_ count: Int, _ whose: String) -> Problem {
    Problem(.tooManyRequests, "\(count) \(whose) wait already. Wait for answers before sending more.")
  }

  /// The newest request of the tenant with the most, when that is more than this one would have.
  private func victim(for party: Party) -> Int? {
    guard let most = tenants.max(by: { $0.value.waiting < $1.value.waiting }),
      most.value.waiting > (tenants[party.tenant]?.waiting ?? 0) + 1
    else { return nil }
    return newest(of: most.key)
  }

  /// The same among the callers of a tenant.
  private func victim(for party: Party, in tenant: Party.Tenant) -> Int? {
    guard let newest = newest(of: tenant), let most = members[waiting[newest].party.member],
      most.waiting > (members[party.member]?.waiting ?? 0) + 1
    else { return nil }
    return newest
  }

  /// Where the newest request waits of the tenant's caller with the most.
  private func newest(of tenant: Party.Tenant) -> Int? {
    let own = waiting.lazy.filter { $0.party.tenant == tenant }
    guard
      let most = own.max(by: { (members[$0.party.member]?.waiting ?? 0) < (members[$1.party.member]?.waiting ?? 0) })
    else { return nil }
    return waiting.lastIndex { $0.party == most.party }
  }

  // MARK: Leaving

  /// The request whose turn it is; nil when none may begin now.
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
    change(work.party) { standing in
      standing.turn = turn
      standing.working += 1
    }
    return work
  }

  /// What `next` gave out is done.
  mutating func finish(_ work: AdminWork) {
    if work.load == .heavy { heavy -= 1 }
    change(work.party) { $0.working -= 1 }
    forget(work.party)
  }

  private mutating func leave(at index: Int) -> AdminWork {
    let work = waiting.remove(at: index)
    bytes -= work.bodyBytes
    change(work.party) { standing in
      standing.waiting -= 1
      standing.bytes -= work.bodyBytes
    }
    return work
  }

  /// Whoever comes anew stands behind all others.
  private mutating func change(_ party: Party, _ body: (inout Standing) -> Void) {
    turn += 1
    body(&tenants[party.tenant, default: Standing(turn: turn)])
    body(&members[party.member, default: Standing(turn: turn)])
  }

  private mutating func forget(_ party: Party) {
    if tenants[party.tenant]?.isGone == true { tenants[party.tenant] = nil }
    if members[party.member]?.isGone == true { members[party.member] = nil }
  }
}

extension Party.Tenant: CustomStringConvertible {
  /// As a refusal calls it.
  var description: String {
    switch self {
    case .app: "this app"
    case .member(let member): "\(member)"
    case .strangers: "callers that are not known yet"
    }
  }
}
