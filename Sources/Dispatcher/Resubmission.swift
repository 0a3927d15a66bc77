internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Recipients about to be submitted again: their bindings read anew, because a device may have a new token, another user
/// or none by now, its app or the message may have been paused, and it may be too early or too late where the device is.
struct Resubmission {
  struct Repeat {
    let batch: PushBatch
    let attempts: [Int16]
    let question: TokenQuestion?
  }

  /// What goes together into one batch.
  private struct Kind: Hashable {
    let route: PushRoute
    let question: TokenQuestion?
    /// Microseconds since 1970.
    let expiresAt: Int64
  }

  private(set) var repeats: [Repeat] = []
  private(set) var decided: [(target: WaitingTarget, status: OutcomeStatus, reason: String)] = []
  /// They wait in the database: until app or message are resumed, or until it is time (microseconds since 1970).
  private(set) var handedBack: [(target: WaitingTarget, reason: String, dueAt: Int64?)] = []

  /// Reads and counts; nothing is submitted yet.
  init(
    _ message: DispatchMessage, _ targets: [WaitingTarget], _ connection: Connection, _ shared: Shared
  ) throws(PostgresError) {
    guard shared.clock.wallMicroseconds < message.expiresAt else {
      decided = targets.map { ($0, .expired, "expired") }
      return
    }
    if try connection.run(AppPauses.reason(of: message.app)) != nil {
      handedBack = targets.map { ($0, "AppPaused", nil) }
      return
    }
    // Before the message's state is read: what is submitted is no older than that.
    let readAt = shared.clock.now
    let passage = try connection.run(Controls.passage(message.seqno))
    guard passage == .open else {
      hold(targets, passage, message)
      return
    }
    let clocks = try clocks(targets, message, connection)
    let targets = sort(targets, by: clocks, message, now: shared.clock.wallMicroseconds)
    let tomorrow = shared.clock.wallMicroseconds + 86_400_000_000
    let members = try connection.run(
      Audiences.ofDevices(app: message.app, targets.map(\.device), frozenAt: tomorrow))
    let bound = Dictionary(members.map { ($0.device, $0) }) { first, _ in first }
    let ended = try connection.run(Outcomes.ended(message.seqno, targets.map(\.device)))
    var ready: [(target: WaitingTarget, member: Audiences.Member)] = []
    for target in targets {
      if ended.contains(target.device) {
        // Another node has taken the claim over and finished it while this one was away. Its outcome stands; this
        // decision only gives the delivery up.
        decided.append((target, .skipped, SkipReason.gone.rawValue))
      } else if let reason = Self.obstacle(target, bound[target.device], shared) {
        decided.append((target, .skipped, reason.rawValue))
      } else if let member = bound[target.device] {
        ready.append((target, member))
      }
    }
    try count(ready.map(\.target), message, connection, shared)
    let users = try present(ready.map(\.member), message, connection)
    for (kind, entries) in Dictionary(grouping: ready, by: { Self.kind($0.target, $0.member, message, clocks) }) {
      let pushTargets = entries.map { entry in
        let user = users[Users.Key(app: message.app, userKey: entry.member.userKey)]
        return PushTarget(
          device: entry.member.device, userKey: entry.member.userKey, psid: entry.member.psid,
          badge: user?.badge ?? 0, clientName: user?.name ?? "", appVersion: entry.member.appVersion)
      }
      let batch = PushBatch(
        number: shared.nextBatch(), message: message.push(expiringAt: kind.expiresAt), route: kind.route,
        targets: pushTargets, readAtNanoseconds: readAt.nanoseconds)
      repeats.append(Repeat(batch: batch, attempts: entries.map(\.target.attempts), question: kind.question))
    }
  }

  mutating func decide(_ target: WaitingTarget, _ status: OutcomeStatus, reason: String) {
    decided.append((target, status, reason))
  }

  mutating func handBack(_ target: WaitingTarget, reason: String, dueAt: Int64?) {
    handedBack.append((target, reason, dueAt))
  }

  /// Why a recipient can get nothing now; nil when it can.
  private static func obstacle(
    _ target: WaitingTarget, _ member: Audiences.Member?, _ shared: Shared
  ) -> SkipReason? {
    guard let member else { return .gone }
    if member.userKey != target.userKey { return .rebound }
    if member.isInQuarantine { return .quarantine }
    return shared.configuration.providers[member.network] == nil ? .noProvider : nil
  }

  /// The device's own route, or the other environment's while that is being asked.
  private static func kind(
    _ target: WaitingTarget, _ member: Audiences.Member, _ message: DispatchMessage, _ clocks: [DeviceID: Waves.Clock]
  ) -> Kind {
    let route = message.route(of: member)
    let expiresAt = clocks[target.device]?.expiresAt ?? message.expiresAt
    // A device that has a new token, or whose environment was learnt meanwhile, is in doubt no more.
    guard let doubt = target.doubt, doubt.psid == member.psid, doubt.question.environment == member.environment else {
      return Kind(route: route, question: nil, expiresAt: expiresAt)
    }
    return Kind(route: route.inOtherEnvironment, question: doubt.question, expiresAt: expiresAt)
  }

  /// Second submissions are counted, and the count committed, before any of them is made.
  private func count(
    _ targets: [WaitingTarget], _ message: DispatchMessage, _ connection: Connection, _ shared: Shared
  ) throws(PostgresError) {
    let resent = targets.count(where: \.countsAsResent)
    guard resent > 0 else { return }
    var increase = Outcomes.Increase()
    increase.resent = Int64(resent)
    for query in Outcomes.add([message.seqno: increase], writer: shared.completeWriter) { try connection.run(query) }
  }

  /// Counts and names as they are at this moment, for payloads that show them.
  private func present(
    _ members: [Audiences.Member], _ message: DispatchMessage, _ connection: Connection
  ) throws(PostgresError) -> [Users.Key: (badge: Int16, name: String)] {
    guard message.movesBadge || message.push.template.needsClientName else { return [:] }
    return try connection.run(Users.find(Set(members.map { Users.Key(app: message.app, userKey: $0.userKey) })))
  }
}
