internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Recipients about to be submitted again: their bindings read anew, because a device may have a new token, another user
/// or none by now.
struct Resubmission {
  private(set) var batches: [(batch: PushBatch, attempts: [Int16])] = []
  private(set) var decided: [(target: WaitingTarget, status: OutcomeStatus, reason: String)] = []

  /// Reads and counts; nothing is submitted yet.
  init(
    _ message: DispatchMessage, _ targets: [WaitingTarget], _ connection: Connection, _ shared: Shared
  ) throws(PostgresError) {
    guard shared.clock.wallMicroseconds < message.expiresAt else {
      decided = targets.map { ($0, .expired, "expired") }
      return
    }
    let readAt = shared.clock.now
    let tomorrow = shared.clock.wallMicroseconds + 86_400_000_000
    let members = try connection.run(
      Audiences.ofDevices(app: message.app, targets.map(\.device), frozenAt: tomorrow))
    let bound = Dictionary(members.map { ($0.device, $0) }) { first, _ in first }
    var ready: [(target: WaitingTarget, member: Audiences.Member)] = []
    for target in targets {
      if let member = bound[target.device], member.userKey == target.userKey {
        ready.append((target, member))
      } else {
        let reason: SkipReason = bound[target.device] == nil ? .gone : .rebound
        decided.append((target, .skipped, reason.rawValue))
      }
    }
    try count(ready.map(\.target), message, connection, shared)
    let users = try present(ready.map(\.member), message, connection)
    for (route, entries) in Dictionary(grouping: ready, by: { message.route(of: $0.member) }) {
      let pushTargets = entries.map { entry in
        let user = users[Users.Key(app: message.app, userKey: entry.member.userKey)]
        return PushTarget(
          device: entry.member.device, userKey: entry.member.userKey, psid: entry.member.psid,
          badge: user?.badge ?? 0, clientName: user?.name ?? "")
      }
      let batch = PushBatch(
        number: shared.nextBatch(), message: message.push, route: route, targets: pushTargets,
        readAtNanoseconds: readAt.nanoseconds)
      batches.append((batch, entries.map(\.target.attempts)))
    }
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
