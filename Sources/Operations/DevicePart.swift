internal import Domain
internal import Store

/// Operations about one device, each allowed by that device's authKey.
struct DevicePart {
  private final class State {
    var entries: [Entry] = []
    var groupApps: [Int64: App.Number] = [:]
    var groups: [Users.Key: [(group: Int64, name: String)]] = [:]
    var users: [Users.Key: (badge: Int16, name: String)] = [:]
    var tokens = FurtherTokens()
    var meters: [DeviceID: DeviceSends.Meter] = [:]
  }

  private struct Entry {
    let operation: Int
    let kind: Operation
    let claim: AuthKeyring.Claim
    var user: Users.Key?
    /// The count that this operation set; later ones of the batch may have moved it on.
    var badge: Int16?

    /// The CUID that the caller wrongly acts for; nil when all is well.
    func stranger(_ record: Devices.Record) -> String? {
      guard let expected = claim.actingFor, UserKey(clientUID: expected) != record.userKey else { return nil }
      // Clearing a user who is gone already: repeated, not mistaken.
      if case .clearUser = kind, record.userKey.isGuest { return nil }
      return expected
    }
  }

  private let state = State()

  init(_ operations: [Operation]) {
    for (index, operation) in operations.enumerated() {
      if let claim = operation.claim { state.entries.append(Entry(operation: index, kind: operation, claim: claim)) }
    }
  }

  var changesAnything: Bool { !devicesToLock.isEmpty }

  /// Devices whose row, or whose user's rows, will be written.
  var devicesToLock: Set<DeviceID> {
    Set(state.entries.lazy.filter { !$0.kind.conflictKeys.isEmpty }.map(\.claim.device))
  }

  /// Devices whose calls are carried out.
  var callers: Set<DeviceID> { Set(state.entries.lazy.filter { $0.user != nil }.map(\.claim.device)) }

  /// Users whose counts are set.
  var badgeSetters: Set<Users.Key> {
    Set(
      state.entries.compactMap { entry in
        if case .setBadge = entry.kind { entry.user } else { nil }
      })
  }

  /// Users who are named, in whatever app.
  var namedUsers: Set<UserKey> {
    Set(
      state.entries.compactMap { entry in
        guard case .setUser(_, let user) = entry.kind else { return nil }
        return UserKey(clientUID: user.clientUID)
      })
  }

  // MARK: Round 0

  func lockTokens(_ batch: OperationBatch) -> [Step] {
    state.tokens.lock(state.entries.map(\.kind), batch)
  }

  // MARK: Round 1

  func findTokens(_ batch: OperationBatch) -> [Step] {
    state.tokens.find(state.entries.map(\.kind), batch)
  }

  func look(_ batch: OperationBatch) -> [Step] {
    var steps: [Step] = []
    let onlyRead = Set(state.entries.map(\.claim.device)).subtracting(devicesToLock)
    if !onlyRead.isEmpty {
      steps.append(
        Devices.find(onlyRead).map { records in
          // A row locked by another part is fresher than this.
          for record in records where batch.devices[record.device] == nil { batch.devices[record.device] = record }
        })
    }
    let groups = Set(state.entries.compactMap(\.kind.group))
    if !groups.isEmpty {
      let state = state
      steps.append(Groups.apps(of: groups).map { state.groupApps = $0 })
    }
    return steps
  }

  // MARK: Round 2

  func apply(_ batch: OperationBatch) -> [Step] {
    var changes = DeviceChanges()
    for index in state.entries.indices {
      let entry = state.entries[index]
      switch allowed(entry, batch) {
      case .failure(let problem):
        batch.fail(entry.operation, problem)
        state.tokens.refuse(entry.kind)
      case .success(let record):
        state.entries[index].user = Users.Key(app: record.app, userKey: record.userKey)
        apply(entry, record, &changes, batch)
      }
    }
    return state.tokens.steps(at: batch.now) + changes.steps(at: batch.now) + countSends(batch) + lookups()
  }

  private func countSends(_ batch: OperationBatch) -> [Step] {
    let senders = state.entries.compactMap { entry in
      if case .admitSend(let claim, _) = entry.kind, entry.user != nil { claim.device } else { nil }
    }
    let state = state
    return senders.isEmpty ? [] : [DeviceSends.count(senders, at: batch.now).map { state.meters = $0 }]
  }

  /// The device's row, if the key is its own and still current.
  private func allowed(_ entry: Entry, _ batch: OperationBatch) -> Result<Devices.Record, Problem> {
    guard let record = batch.devices[entry.claim.device], record.state != .unregistered else {
      return .failure(Problem(.unknownDevice, "Register the device first (POST /v1/devices)."))
    }
    guard record.authEpoch == entry.claim.epoch else {
      return .failure(Problem(.badCredential, "This authKey has ended. Register again to get a new one."))
    }
    if let other = entry.stranger(record) {
      return .failure(Problem(.userMismatch, "This device does not belong to \(other). Register the user again."))
    }
    if case .admitSend = entry.kind, record.userKey.isGuest {
      return .failure(Problem(.forbidden, "A device without a user may not send. Register its user first."))
    }
    if let group = entry.kind.group, state.groupApps[group] != record.app {
      return .failure(Problem(.unknownGroup, "The app has no group \(group)."))
    }
    if case .setUser(_, let user) = entry.kind,
      case .refused(let problem) = batch.policies.vouching(for: user, in: record.app, now: batch.now)
    {
      return .failure(problem)
    }
    if case .setToken(_, _, let psid?) = entry.kind, record.network.normalize(psid: psid) != psid {
      return .failure(Problem(at: "/psid", "is no token of \(record.network.pnsID)"))
    }
    return .success(record)
  }

  private func apply(
    _ entry: Entry, _ record: Devices.Record, _ changes: inout DeviceChanges, _ batch: OperationBatch
  ) {
    var record = record
    let user = Users.Key(app: record.app, userKey: record.userKey)
    switch entry.kind {
    case .setUser(_, let named):
      // Refused ones are gone by now, and a proof that was given has been checked.
      let isUnproved = batch.policies.lacksProof(named, in: record.app)
      let wanted = UserKey(clientUID: named.clientUID)
      // Whoever signs in here unproved ends what the device got for somebody else.
      let isGuest = named.clientUID == UserKey.guestUID || isUnproved && record.userKey != wanted
      move(&record, to: isGuest ? UserKey(guest: record.device) : wanted, batch)
      if !record.userKey.isGuest {
        let isVouched = !isUnproved && batch.policies.vouchesForUsers(in: record.app)
        let key = Users.Key(app: record.app, userKey: record.userKey)
        batch.counts.name(key, named.name, isVouched: isVouched)
        if user.userKey.isGuest { changes.endedGuests.append(user) }
        batch.releaseOthers(of: key, for: record.device)
      }
    case .clearUser:
      move(&record, to: UserKey(guest: record.device), batch)
    case .unregister:
      changes.retired.append(
        Tokens.Claimed(app: record.app, psid: record.psid, network: record.network, device: record.device))
      state.tokens.end(record.device)
      record.state = .unregistered
      // Its keys end with it; those of a device that only lost its token to another one do not.
      record.authEpoch &+= 1
      move(&record, to: UserKey(guest: record.device), batch)
    case .join(_, let group): changes.joined.append(Groups.Membership(user: user, group: group))
    case .leave(_, let group): changes.left.append(Groups.Membership(user: user, group: group))
    case .setBadge: batch.counts.want(user)
    case .setConsents(_, let change):
      record.consents.apply(change, at: batch.now)
      batch.change(record)
    case .setToken(_, let kind, let psid): state.tokens.set(kind, psid, record)
    case .alive: changes.seen.append(record.device)
    case .find, .listGroups, .badge, .admitSend, .confirm, .register, .send, .identify: break
    }
  }

  private func move(_ record: inout Devices.Record, to userKey: UserKey, _ batch: OperationBatch) {
    if record.userKey != userKey { record.boundAt = batch.now }
    record.userKey = userKey
    batch.change(record)
  }

  private func lookups() -> [Step] {
    let state = state
    var listed: Set<Users.Key> = []
    var shown: Set<Users.Key> = []
    for entry in state.entries {
      guard let user = entry.user else { continue }
      switch entry.kind {
      case .listGroups: listed.insert(user)
      case .find, .badge, .setConsents: shown.insert(user)
      default: break
      }
    }
    return (listed.isEmpty ? [] : [Groups.ofUsers(listed).map { state.groups = $0 }])
      + (shown.isEmpty ? [] : [Users.find(shown).map { state.users = $0 }])
  }

  // MARK: Round 3 and answers

  func applyBadge(at operation: Int, _ batch: OperationBatch) {
    for index in state.entries.indices where state.entries[index].operation == operation {
      guard case .setBadge(_, let value) = state.entries[index].kind, let user = state.entries[index].user else {
        continue
      }
      if batch.counts[user] != value { batch.badgeSync.note(user, by: state.entries[index].claim.device) }
      batch.counts.set(user, to: value)
      state.entries[index].badge = value
    }
  }

  func answer(_ batch: OperationBatch) {
    for entry in state.entries where !batch.hasFailed(entry.operation) {
      guard let user = entry.user, let record = batch.devices[entry.claim.device] else { continue }
      if let problem = refusal(entry, batch) {
        batch.fail(entry.operation, problem)
        continue
      }
      let shown = state.users[user] ?? (0, "")
      let answer: OperationAnswer =
        switch entry.kind {
        case .find, .setConsents:
          .found(device: record, badge: shown.badge, userName: batch.shownName("", stored: shown.name, of: user))
        case .setUser(_, let named):
          .found(
            device: record, badge: shown.badge,
            userName: batch.shownName(named.name, of: Users.Key(app: record.app, userKey: record.userKey)))
        case .badge: .badge(shown.badge)
        case .setBadge: .badge(entry.badge ?? 0)
        case .listGroups: .groups(state.groups[user] ?? [])
        case .admitSend: .admitted(record)
        default: .done
        }
      batch.results[entry.operation] = .success(answer)
    }
  }

  /// Why a device may not send now.
  private func refusal(_ entry: Entry, _ batch: OperationBatch) -> Problem? {
    guard case .admitSend(let claim, let perMinute) = entry.kind, let meter = state.meters[claim.device],
      meter.sent > perMinute
    else { return nil }
    let wait = max(1, (meter.windowEnds - batch.now + 999_999) / 1_000_000)
    var problem = Problem(
      .tooManyRequests, "A device of this app may send \(perMinute) messages a minute. Try again in \(wait) seconds.")
    problem.retryAfterSeconds = Int(wait)
    return problem
  }
}

/// What the operations of a batch change beside device rows.
private struct DeviceChanges {
  var retired: [Tokens.Claimed] = []
  var endedGuests: [Users.Key] = []
  var joined: [Groups.Membership] = []
  var left: [Groups.Membership] = []
  var seen: [DeviceID] = []

  func steps(at now: Int64) -> [Step] {
    (seen.isEmpty ? [] : [Devices.seen(seen, at: now)])
      + (retired.isEmpty ? [] : [Tokens.retire(retired, at: now)])
      + (left.isEmpty ? [] : [Groups.leave(left)])
      + (joined.isEmpty ? [] : [Groups.join(joined, at: now)])
      + (endedGuests.isEmpty ? [] : [Users.forgetGuests(endedGuests)])
  }
}

extension Operation {
  /// The group that a membership operation names.
  fileprivate var group: Int64? {
    switch self {
    case .join(_, let group), .leave(_, let group): group
    default: nil
    }
  }
}
