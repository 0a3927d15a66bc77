internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Recipients about to be submitted again: their bindings read anew, because a device may have a new token, another user
/// or none by now.
struct Resubmission {
  private(set) var batches: [(batch: PushBatch, attempts: [Int16])] = []
  /// With the time of the next try, microseconds since 1970, for those that are deferred.
  private(set) var decided: [(target: WaitingTarget, status: OutcomeStatus, reason: String, dueAt: Int64?)] = []

  /// Reads and counts; nothing is submitted yet.
  init(
    _ message: DispatchMessage, _ targets: [WaitingTarget], _ connection: Connection, _ shared: Shared
  ) throws(PostgresError) {
    guard shared.clock.wallMicroseconds < message.expiresAt else {
      decided = targets.map { ($0, .expired, "expired", nil) }
      return
    }
    // Before the message's state is read: what is submitted is no older than that.
    let readAt = shared.clock.now
    let passage = try connection.run(Controls.passage(message.seqno))
    guard passage == .open else {
      try hold(passage, message, targets, connection, shared)
      return
    }
    let clocks = message.asksDeviceClocks ? try self.clocks(message, targets, connection) : [:]
    let targets = clocks.isEmpty ? targets : sort(targets, by: clocks, message, now: shared.clock.wallMicroseconds)
    // Handed back: whoever takes it up again does not know that it may be a second submission, so it counts now.
    try count(decided.filter { $0.status == .deferred }.map(\.target), message, connection, shared)
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
        decided.append((target, .skipped, reason.rawValue, nil))
      }
    }
    try count(ready.map(\.target), message, connection, shared)
    let users = try present(ready.map(\.member), message, connection)
    let groups = Dictionary(grouping: ready) { entry in
      Group(
        route: message.route(of: entry.member), expiresAt: clocks[entry.target.device]?.expiresAt ?? message.expiresAt)
    }
    for (group, entries) in groups {
      let pushTargets = entries.map { entry in
        let user = users[Users.Key(app: message.app, userKey: entry.member.userKey)]
        return PushTarget(
          device: entry.member.device, userKey: entry.member.userKey, psid: entry.member.psid,
          badge: user?.badge ?? 0, clientName: user?.name ?? "")
      }
      let batch = PushBatch(
        number: shared.nextBatch(), message: message.push(expiringAt: group.expiresAt), route: group.route,
        targets: pushTargets,
        readAtNanoseconds: readAt.nanoseconds)
      batches.append((batch, entries.map(\.target.attempts)))
    }
  }

  private struct Group: Hashable {
    let route: PushRoute
    /// Microseconds since 1970.
    let expiresAt: Int64
  }

  /// Nothing of the message may be submitted now.
  private mutating func hold(
    _ passage: Controls.Passage, _ message: DispatchMessage, _ targets: [WaitingTarget], _ connection: Connection,
    _ shared: Shared
  ) throws(PostgresError) {
    switch passage {
    case .open: break
    case .cancelled:
      decided = targets.map { target in
        // One that may have arrived already was not cancelled, it was not sent again.
        target.countsAsResent
          ? (target, .skipped, SkipReason.unknownNotResent.rawValue, nil)
          : (target, .cancelled, Cancellation.reason, nil)
      }
    case .paused, .closedUntil:
      var dueAt = shared.clock.wallMicroseconds
      if case .closedUntil(let opensAt) = passage { dueAt = min(opensAt, message.expiresAt) }
      // Handed back, see above.
      try count(targets, message, connection, shared)
      decided = targets.map { ($0, .deferred, passage == .paused ? "paused" : "window", dueAt) }
    }
  }

  private func clocks(
    _ message: DispatchMessage, _ targets: [WaitingTarget], _ connection: Connection
  ) throws(PostgresError) -> [DeviceID: Waves.Clock] {
    let window = message.request.window
    return try connection.run(
      Waves.clocks(
        targets.map(\.device), appTimeZone: message.appTimeZone, local: message.localTime,
        expiresInSeconds: message.request.expiresInSeconds, window: window?.zone == .device ? window : nil))
  }

  /// Decides about those whose own clock says that it is too late, or too early; answers the others.
  private mutating func sort(
    _ targets: [WaitingTarget], by clocks: [DeviceID: Waves.Clock], _ message: DispatchMessage, now: Int64
  ) -> [WaitingTarget] {
    targets.filter { target in
      let clock = clocks[target.device]
      let expiresAt = clock?.expiresAt ?? message.expiresAt
      if now >= expiresAt {
        decided.append((target, .expired, "expired", nil))
        return false
      }
      guard let opensAt = clock?.opensAt else { return true }
      decided.append((target, .deferred, "window", min(opensAt, expiresAt)))
      return false
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
