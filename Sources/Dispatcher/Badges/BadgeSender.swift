internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// Thread `badge`: when a user's badge count changes, sends the new count to the user's other devices, in pushes that
/// contain only the badge.
///
/// ```
///   due row ──taken, due again in 15 s──► read devices and count ──► submit ──► all answered ──► delete row
///                                                                       └ any failed for now: row stays, due again
/// ```
/// These pushes belong to no message: they have no claim and no outcome, and statistics do not count them. After a
/// crash or a temporary refusal, all pushes for the user are sent again when the row is due again, up to
/// `Limits.badgeAttempts` times in all. A permanent refusal is left to the next real message. Changes within a second
/// become one push per device, because a user has one row, which is due a second after the first change.
///
/// Decisions 041 and 042.
final class BadgeSender {
  /// A user whose badge pushes are in flight.
  private struct Open {
    let due: BadgeSyncs.Due
    var pushes: Int
    /// True if a push failed temporarily, so that the user's row must stay.
    var mustRepeat = false
  }

  private let shared: Shared
  private let isolation: FailureIsolation
  private var open: [Int: Open] = [:]
  private var lastOpen = 0
  private var looksAgainAt = Instant(nanoseconds: 0)
  private var pause = PollBackoff(usual: Limits.badgeInterval / 2)
  /// For each batch, the key in `open` of each target's user; -1 after the target is answered.
  private var flights: [Int64: [Int]] = [:]
  private var answeredBy: [Int64: Instant] = [:]

  init(_ shared: Shared) {
    self.shared = shared
    isolation = FailureIsolation(Logger(label: "badge"), shared)
  }

  func run() {
    DatabaseThread("badge", shared).run { connection in
      let results = shared.badgeResults.receive(atMost: Limits.badgeInterval)
      for result in results { take(result) }
      forgetUnanswered()
      try finish(connection)
      if shared.holdsLease, open.count < Limits.badgeUsers, shared.clock.now >= looksAgainAt { try sendDue(connection) }
    }
  }

  // MARK: Sending

  private func sendDue(_ connection: Connection) throws {
    let now = shared.clock.wallTime
    let readAt = shared.clock.now
    let due = try take(at: now, atMost: Limits.badgeUsers, connection)
    guard !due.isEmpty else {
      looksAgainAt = shared.clock.now + pause.after(shared.clock.now - readAt, at: shared.clock.now)
      return
    }
    pause.stir(at: shared.clock.now)
    let apps = Dictionary(
      try connection.run(Apps.all()).map { ($0.app.number, $0.app) }
    ) { first, _ in first }
    // Once, before `tell`, which can repeat its work: each postponement takes back a try.
    try tell(postponePaused(due, apps, connection), apps, readAt, connection)
    try finish(connection)
  }

  /// Claims at most `limit` due users. If this fails because of a user's data, claims fewer; the row of a single user
  /// that fails is deleted.
  func take(at now: Timestamp, atMost limit: Int, _ connection: Connection) throws(PostgresError) -> [BadgeSyncs.Due] {
    try connection.claim(
      atMost: limit,
      take: { BadgeSyncs.take(only: $0, at: now, again: now + Limits.badgeAgainInterval, limit: $1) },
      lock: BadgeSyncs.lock(at: now), drop: { user, _ in BadgeSyncs.drop(user, at: now) },
      onDrop: { _, error in isolation.note("a user's count cannot be sent to its devices", nil, error) })
  }

  /// Postpones the counts of users whose apps are paused, before anything else of them is read, and returns the others.
  private func postponePaused(
    _ due: [BadgeSyncs.Due], _ apps: [App.Number: App], _ connection: Connection
  ) throws -> [BadgeSyncs.Due] {
    func isPaused(_ sync: BadgeSyncs.Due) -> Bool { apps[sync.user.app]?.pausedReason != nil }
    let paused = due.filter(isPaused)
    guard !paused.isEmpty else { return due }
    try connection.run(BadgeSyncs.postpone(paused, until: shared.clock.wallTime + Limits.badgePauseInterval))
    return due.filter { !isPaused($0) }
  }

  /// Submits the counts of the claimed users. If this fails because of a user's data, bisects the users and deletes the
  /// row of the faulty one.
  private func tell(
    _ due: [BadgeSyncs.Due], _ apps: [App.Number: App], _ readAt: Instant, _ connection: Connection
  ) throws {
    guard !due.isEmpty else { return }
    do {
      try tellTogether(due, apps, readAt, connection)
    } catch  where FailureIsolation.isOwnFault(error) {
      guard due.count > 1 else {
        isolation.note("a user's count cannot be sent to its devices", nil, error)
        return try connection.run(BadgeSyncs.done(due))
      }
      try tell(Array(due[..<(due.count / 2)]), apps, readAt, connection)
      try tell(Array(due[(due.count / 2)...]), apps, readAt, connection)
    }
  }

  private func tellTogether(
    _ due: [BadgeSyncs.Due], _ apps: [App.Number: App], _ readAt: Instant, _ connection: Connection
  ) throws {
    let users = Set(due.map(\.user))
    let members = try connection.run(BadgeSyncs.devices(of: users, atMost: Limits.badgeDevices))
    let counts = try connection.run(Users.find(users))
    var targets: [PushRoute: [(target: PushTarget, open: Int)]] = [:]
    for sync in due {
      lastOpen += 1
      var pushes = 0
      for member in members[sync.user] ?? [] where wants(member, sync, apps[sync.user.app]) {
        let route = PushRoute(app: sync.user.app, network: member.network, environment: member.environment)
        let target = PushTarget(
          device: member.device, userKey: member.userKey, psid: member.psid, badge: counts[sync.user]?.badge ?? 0,
          clientName: "")
        targets[route, default: []].append((target, lastOpen))
        pushes += 1
      }
      open[lastOpen] = Open(due: sync, pushes: pushes)
    }
    for (route, entries) in targets {
      guard let app = apps[route.app] else { continue }
      submit(entries, route, app, readAt)
    }
  }

  /// Returns true if the device must be sent the count. False if the app is unknown or syncs no badges, the user is out
  /// of attempts, the device is quarantined or has the count already, or its network has no provider.
  private func wants(_ member: Audiences.Member, _ sync: BadgeSyncs.Due, _ app: App?) -> Bool {
    guard let app, app.syncsBadges, sync.attempts <= Limits.badgeAttempts else { return false }
    return member.device != sync.device && !member.isInQuarantine
      && shared.configuration.providers[member.network] != nil
  }

  private func submit(
    _ entries: [(target: PushTarget, open: Int)], _ route: PushRoute, _ app: App, _ readAt: Instant
  ) {
    let seconds = shared.clock.wallTime.seconds + Limits.badgeExpirySeconds
    let batch = PushBatch(
      shared.nextBatch(for: ResultInbox.badgePlace),
      message: .badge(appID: app.appID, pushkeys: shared.configuration.pushkeys, expiresAtSeconds: seconds),
      route: route, targets: entries.map(\.target), readAtNanoseconds: readAt.nanoseconds)
    flights[batch.address.number] = entries.map(\.open)
    answeredBy[batch.address.number] = shared.clock.now + Limits.badgeTimeout
    if shared.configuration.providers[route.network]?.offer(batch) == true { return }
    for index in batch.targets.indices { take(PushResult(batch: batch.address, target: index, result: .notProcessed)) }
  }

  // MARK: Answers

  private func take(_ result: PushResult) {
    guard let users = flights[result.batch.number], users.indices.contains(result.target), users[result.target] >= 0
    else {
      return
    }
    let user = users[result.target]
    flights[result.batch.number]?[result.target] = -1
    if flights[result.batch.number]?.allSatisfy({ $0 < 0 }) == true {
      flights[result.batch.number] = nil
      answeredBy[result.batch.number] = nil
    }
    open[user]?.pushes -= 1
    switch result.result {
    case .retry, .deviceBusy, .notProcessed, .unknown, .stale: open[user]?.mustRepeat = true
    // A permanent refusal needs no action here: the next real message will meet it and quarantine the device.
    case .accepted, .rejected, .badToken, .wrongEnvironment, .credentialFault, .noCredential: break
    }
  }

  /// Ends pushes that have had no answer within `Limits.badgeTimeout`, as failed temporarily, so that they are
  /// repeated. Providers answer every push they accept; this is a safeguard.
  private func forgetUnanswered() {
    for (batch, deadline) in answeredBy where deadline < shared.clock.now {
      for index in (flights[batch] ?? []).indices {
        take(
          PushResult(
            batch: BatchAddress(batch, inbox: ResultInbox.badgePlace), target: index,
            result: .unknown(reason: "no answer")))
      }
    }
  }

  /// Closes the users whose pushes have all ended. Deletes a user's row, unless a push failed temporarily or the count
  /// has changed meanwhile; then the row stays and becomes due again.
  private func finish(_ connection: Connection) throws {
    let ended = open.filter { $0.value.pushes <= 0 }
    guard !ended.isEmpty else { return }
    let done = ended.values.filter { !$0.mustRepeat }.map(\.due)
    if !done.isEmpty { try connection.run(BadgeSyncs.done(done)) }
    for number in ended.keys { open[number] = nil }
  }
}
