internal import Domain
internal import Store
internal import Time

/// Steps for the operations of a batch that concern a single device and are authorized by its authKey
/// (`Operation.claim`). Operations of other kinds are ignored.
struct DeviceSteps {
  private final class State {
    var entries: [Entry] = []
    var joinRules: [Int64: Groups.JoinRule] = [:]
    /// The messages whose pushes devices have returned to prove that pushes reach them; messages that do not exist are
    /// missing.
    var brought: [Seqno: Messages.Origin] = [:]
    /// The messages whose pushes have made devices their users' so recently that the devices may repeat the call.
    var proofs: [DeviceID: Seqno] = [:]
    var groups: [Users.Key: [(group: Int64, name: String)]] = [:]
    var users: [Users.Key: (badge: Int16, name: String)] = [:]
    var tokens = AdditionalTokens()
    var meters: [DeviceID: DeviceSends.Meter] = [:]
  }

  private struct Entry {
    let operation: Int
    let kind: Operation
    let claim: AuthKeyring.Claim
    var user: Users.Key?
    /// The device's row as it was when the operation was accepted: a later operation of the batch may have given the
    /// device to another user. Nil before round 2, and if the operation was refused.
    var record: Devices.Record?
    /// Count that this operation has set, even if a later operation of the batch has changed it since; nil before
    /// round 3, and for operations that set no count.
    var badge: Int16?

    /// Returns the CUID for which the caller acts, if the device does not belong to that user. Returns nil if it does,
    /// if the caller names no user, or if the operation removes the user of a device that has none.
    func stranger(_ record: Devices.Record) -> String? {
      guard let expected = claim.actingFor, UserKey(clientUID: expected) != record.userKey else { return nil }
      // Removing a user who has already been removed is a repetition, not an error.
      if case .clearUser = kind, record.userKey.isGuest { return nil }
      return expected
    }
  }

  private let state = State()
  private let inboxes = InboxLook()

  init(_ operations: [Operation]) {
    for (index, operation) in operations.enumerated() {
      if let claim = operation.claim { state.entries.append(Entry(operation: index, kind: operation, claim: claim)) }
    }
  }

  var changesAnything: Bool { !devicesToLock.isEmpty }

  /// Devices for which operations can write something: the device's row, its user's row, or rows that belong to them.
  var devicesToLock: Set<DeviceID> {
    Set(state.entries.lazy.filter { !$0.kind.conflictKeys.isEmpty }.map(\.claim.device))
  }

  /// Devices of which at least one operation was accepted. Known from round 2 on.
  var callers: Set<DeviceID> { Set(state.entries.lazy.filter { $0.user != nil }.map(\.claim.device)) }

  /// Users whose counts are set by accepted operations. Known from round 2 on.
  var badgeSetters: Set<Users.Key> {
    Set(
      state.entries.compactMap { entry in
        if case .setBadge = entry.kind { entry.user } else { nil }
      })
  }

  /// Users named by the `setUser` operations of all apps.
  var namedUsers: Set<UserKey> {
    Set(
      state.entries.compactMap { entry in
        guard case .setUser(_, let user) = entry.kind else { return nil }
        return UserKey(clientUID: user.clientUID)
      })
  }

  // MARK: Round 0

  func lockTokens(_ batch: BatchContext) -> [Step] {
    state.tokens.lock(state.entries.map(\.kind), batch)
  }

  // MARK: Round 1

  func findTokens(_ batch: BatchContext) -> [Step] {
    let owners = state.tokens.others.filter { batch.devices[$0] == nil }
    return state.tokens.find(state.entries.map(\.kind), batch)
      + (owners.isEmpty ? [] : [Devices.find(owners).map { records in batch.rememberUnlocked(records) }])
  }

  func look(_ batch: BatchContext) -> [Step] {
    var steps: [Step] = []
    let onlyRead = Set(state.entries.map(\.claim.device)).subtracting(devicesToLock)
    if !onlyRead.isEmpty {
      steps.append(Devices.find(onlyRead).map { records in batch.rememberUnlocked(records) })
    }
    let groups = Set(state.entries.compactMap(\.kind.group))
    if !groups.isEmpty {
      let state = state
      steps.append(Groups.joinRules(of: groups).map { state.joinRules = $0 })
    }
    let brought = state.entries.compactMap { entry -> (device: DeviceID, seqno: Seqno)? in
      if case .possess(let claim, let seqno, _) = entry.kind { (claim.device, seqno) } else { nil }
    }
    if !brought.isEmpty {
      let state = state
      steps.append(Messages.origins(of: brought.map { $0.seqno }).map { state.brought = $0 })
      steps.append(Possessions.repeatable(of: brought.map { $0.device }, at: batch.now).map { state.proofs = $0 })
    }
    return steps
  }

  /// Requests the vouchers and devices of the users to whom operations would bind devices.
  func askAboutUsers(_ batch: BatchContext) {
    for entry in state.entries {
      if let record = batch.devices[entry.claim.device] { DeviceUsers(batch: batch).ask(entry.kind, record) }
    }
  }

  /// Returns the pending users of devices that have returned a push, whether or not the proof is accepted later.
  func possessors(_ batch: BatchContext) -> Set<Users.Key> {
    Set(
      state.entries.compactMap { entry in
        guard case .possess = entry.kind, let record = batch.devices[entry.claim.device], let pending = record.pending
        else { return nil }
        return Users.Key(app: record.app, userKey: pending.userKey)
      })
  }

  // MARK: Round 2

  func apply(_ batch: BatchContext) -> [Step] {
    var changes = DeviceChanges()
    for index in state.entries.indices {
      let entry = state.entries[index]
      switch allowed(entry, batch) {
      case .failure(let problem):
        batch.fail(entry.operation, problem)
        state.tokens.refuse(entry.kind)
      case .success(let record):
        let user = if case .possess = entry.kind { record.pending?.userKey } else { nil as UserKey? }
        state.entries[index].user = Users.Key(app: record.app, userKey: user ?? record.userKey)
        state.entries[index].record = record
        apply(entry, record, &changes, batch)
      }
    }
    return state.tokens.steps(at: batch.now) + changes.steps(at: batch.now) + countSends(batch) + lookups(batch)
  }

  private func countSends(_ batch: BatchContext) -> [Step] {
    let senders = state.entries.compactMap { entry in
      if case .admitSend(let claim, _) = entry.kind, entry.user != nil { claim.device } else { nil }
    }
    let state = state
    return senders.isEmpty ? [] : [DeviceSends.count(senders, at: batch.now).map { state.meters = $0 }]
  }

  /// Returns the device's row if the operation is allowed: the device is registered (or gives up its user after another
  /// device has taken its token), its key is current, the app is not being deleted or the operation does not change it,
  /// and the rules for users, groups, tokens and identity permit the operation. Otherwise returns the problem. Counts
  /// calls with a token-only key that the app's identity mode refuses or that its simulated stricter mode would refuse.
  private func allowed(_ entry: Entry, _ batch: BatchContext) -> Result<Devices.Record, Problem> {
    let known = batch.devices[entry.claim.device]
    var isGone = known?.state == .unregistered
    // A device that has only lost its token would get its user back with it.
    if case .clearUser(let claim) = entry.kind, claim.epoch == known?.authEpoch { isGone = false }
    guard let record = known, !isGone else {
      return .failure(Problem(.unknownDevice, "Register the device first (POST /v1/devices)."))
    }
    let isRepeated = repeatsProof(entry, record)
    guard record.authEpoch == entry.claim.epoch || isRepeated else {
      return .failure(Problem(.badCredential, "This authKey has ended. Register again to get a new one."))
    }
    if let other = entry.stranger(record) {
      return .failure(Problem(.userMismatch, "This device does not belong to \(other). Register the user again."))
    }
    if entry.kind.changesApp, let problem = batch.policies.refusalWhileDeleted(of: record.app) {
      return .failure(problem)
    }
    if case .admitSend = entry.kind, record.userKey.isGuest {
      return .failure(Problem(.forbidden, "A device without a user may not send. Register its user first."))
    }
    if let problem = groupRefusal(entry, record)
      ?? DeviceUsers(batch: batch).refusal(of: entry.kind, by: record, brought: state.brought)
      ?? state.tokens.refusal(entry.kind, record, batch)
    {
      return .failure(problem)
    }
    if !isRepeated, entry.kind.needsFullAccess(of: record) {
      let (policies, rules) = (batch.policies, batch.policies.rules(of: record.app))
      if !policies.grantsFullAccess(entry.claim, to: record, under: rules.wanted, now: batch.now) {
        batch.bindings.countRefusal(\.asked, in: record.app, batch.policies)
      }
      guard policies.grantsFullAccess(entry.claim, to: record, under: rules.identity, now: batch.now) else {
        return .failure(policies.limitedKey(of: record))
      }
    }
    if case .setToken(_, _, let psid?) = entry.kind, record.network.normalize(psid: psid) != psid {
      return .failure(Problem(at: "/psid", "is no token of \(record.network.pnsID)"))
    }
    return .success(record)
  }

  /// Returns whether the operation brings back once more, with the device's former key, the push that has ended that
  /// key and made the device its user's: the answer can have been lost. It then changes nothing.
  private func repeatsProof(_ entry: Entry, _ record: Devices.Record) -> Bool {
    guard case .possess(let claim, let seqno, let psid) = entry.kind else { return false }
    // Another push, or one for another user, would be a new proof: that takes a current key.
    return claim.epoch == record.authEpoch &- claim.epochsOfProof && record.identity == .strict && record.pending == nil
      && record.psid == psid && state.proofs[record.device] == seqno
  }

  private func groupRefusal(_ entry: Entry, _ record: Devices.Record) -> Problem? {
    guard let group = entry.kind.group else { return nil }
    guard let rule = state.joinRules[group], rule.app == record.app else {
      return Problem(.unknownGroup, "The app has no group \(group).")
    }
    guard case .join = entry.kind, !rule.isOpen else { return nil }
    return Problem(
      .forbidden, "Devices do not join the group \(group) by themselves: the app's server puts its members in.")
  }

  private func apply(
    _ entry: Entry, _ record: Devices.Record, _ changes: inout DeviceChanges, _ batch: BatchContext
  ) {
    var record = record
    let user = Users.Key(app: record.app, userKey: record.userKey)
    switch entry.kind {
    case .setUser(let claim, let named):
      let guest = DeviceUsers(batch: batch).setUser(named, claim, record)
      changes.end(guest)
      state.tokens.end(guest, by: claim, batch)
    case .possess(let claim, let seqno, _):
      if record.pending != nil { changes.proved.append((device: record.device, seqno: seqno)) }
      let guest = DeviceUsers(batch: batch).possess(claim, record)
      changes.end(guest)
      state.tokens.end(guest, by: claim, batch)
    case .clearUser: DeviceUsers(batch: batch).release(record)
    case .unregister:
      changes.retired.append(
        Tokens.Claimed(app: record.app, psid: record.psid, network: record.network, device: record.device))
      state.tokens.end(record.device)
      record.state = .unregistered
      // Unregistering makes the device's keys invalid; losing its token to another device does not.
      record.authEpoch &+= 1
      // The row may be reused for another device, so end its guest.
      if user.userKey.isGuest { changes.end(user) }
      DeviceUsers(batch: batch).release(record)
    case .join(_, let group): changes.joined.append(Groups.Membership(user: user, group: group))
    case .leave(_, let group): changes.left.append(Groups.Membership(user: user, group: group))
    case .setBadge: batch.counts.want(user)
    case .setConsents(_, let change):
      record.consents.apply(change, at: batch.now)
      batch.change(record)
    case .setToken(_, let kind, let psid): state.tokens.set(kind, psid, record)
    case .setActivity(_, let activity, let psid): state.tokens.set(activity, psid, record)
    case .alive: changes.seen.append(record.device)
    case .find, .listGroups, .badge, .inbox, .admitSend, .confirm, .register, .send, .identify: break
    }
  }

  private func lookups(_ batch: BatchContext) -> [Step] {
    let state = state
    var listed: Set<Users.Key> = []
    var shown: Set<Users.Key> = []
    var asked: [(operation: Int, view: Inboxes.View, part: InboxQuestion)] = []
    for entry in state.entries {
      guard let user = entry.user else { continue }
      switch entry.kind {
      case .listGroups: listed.insert(user)
      case .find, .badge, .setConsents, .possess: shown.insert(user)
      case .inbox(_, let part):
        shown.insert(user)
        if let record = entry.record, let since = batch.policies.inboxBegins(for: record) {
          asked.append((entry.operation, Inboxes.View(of: user, since: since), part))
        }
      default: break
      }
    }
    return (listed.isEmpty ? [] : [Groups.ofUsers(listed).map { state.groups = $0 }])
      + (shown.isEmpty ? [] : [Users.find(shown).map { state.users = $0 }])
      + inboxes.steps(asked, at: batch.now)
  }

  // MARK: Round 3 and answers

  func applyBadge(at operation: Int, _ batch: BatchContext) {
    for index in state.entries.indices where state.entries[index].operation == operation {
      guard case .setBadge(_, let value) = state.entries[index].kind, let user = state.entries[index].user else {
        continue
      }
      if batch.counts[user] != value { batch.badgeSync.note(user, by: state.entries[index].claim.device) }
      batch.counts.set(user, to: value)
      state.entries[index].badge = value
    }
  }

  func answer(_ batch: BatchContext) {
    for entry in state.entries where !batch.hasFailed(entry.operation) {
      let latest = entry.kind.onlyReads ? entry.record : batch.devices[entry.claim.device]
      guard let user = entry.user, var record = latest else { continue }
      if let problem = refusal(entry, batch) {
        batch.fail(entry.operation, problem)
        continue
      }
      let isHidden = batch.policies.hidesUser(of: record, from: entry.claim)
      if isHidden { record = record.withoutUser }
      let shown: (badge: Int16, name: String) = isHidden ? (0, "") : state.users[user] ?? (0, "")
      let answer: OperationAnswer =
        switch entry.kind {
        case .find, .setConsents, .possess:
          .found(device: record, badge: shown.badge, userName: batch.shownName("", stored: shown.name, of: record))
        case .setUser(_, let named):
          .found(
            device: record, badge: shown.badge,
            userName: batch.shownName(named.name, of: record))
        case .badge: .badge(shown.badge)
        case .inbox(_, let part): .inbox(inboxes.page(at: entry.operation, part, on: record, shown))
        case .setBadge: .badge(entry.badge ?? 0)
        case .listGroups: .groups(state.groups[user] ?? [])
        case .admitSend: .admitted(record)
        default: .done
        }
      batch.results[entry.operation] = .success(answer)
    }
  }

  /// Returns the problem if a device has exceeded its number of messages per minute; nil if it has not, and for
  /// operations other than `admitSend`.
  private func refusal(_ entry: Entry, _ batch: BatchContext) -> Problem? {
    guard case .admitSend(let claim, let perMinute) = entry.kind, let meter = state.meters[claim.device],
      meter.sent > perMinute
    else { return nil }
    let wait = max(1, ((meter.windowEnds - batch.now).microseconds + 999_999) / 1_000_000)
    var problem = Problem(
      .tooManyRequests, "A device of this app may send \(perMinute) messages a minute. Try again in \(wait) seconds.")
    problem.retryAfterSeconds = Int(wait)
    return problem
  }
}

/// Changes by operations on single devices, except to device rows and additional tokens.
private struct DeviceChanges {
  var retired: [Tokens.Claimed] = []
  var endedGuests: [Users.Key] = []
  var joined: [Groups.Membership] = []
  var left: [Groups.Membership] = []
  var seen: [DeviceID] = []
  var proved: [(device: DeviceID, seqno: Seqno)] = []

  mutating func end(_ guest: Users.Key?) {
    if let guest { endedGuests.append(guest) }
  }

  func steps(at now: Timestamp) -> [Step] {
    let proofs: [Step] = proved.isEmpty ? [] : [Possessions.note(proved, at: now)]
    let others: [Step] =
      (seen.isEmpty ? [] : [Devices.seen(seen, at: now)])
      + (retired.isEmpty ? [] : [Tokens.retire(retired, at: now)])
      + (left.isEmpty ? [] : [Groups.leave(left)])
      + (joined.isEmpty ? [] : [Groups.join(joined, at: now)])
      + (endedGuests.isEmpty ? [] : [Users.forgetGuests(endedGuests)])
    return proofs + others
  }
}

extension Operation {
  /// The group of an operation that joins or leaves one; nil for others.
  fileprivate var group: Int64? {
    switch self {
    case .join(_, let group), .leave(_, let group): group
    default: nil
    }
  }

  /// Whether the operation is refused while the app is being deleted. Devices can still read, confirm, report that they
  /// are alive, and unregister.
  fileprivate var changesApp: Bool {
    switch self {
    case .find, .alive, .listGroups, .badge, .inbox, .confirm, .identify, .unregister: false
    default: true
    }
  }

  /// Whether the operation needs more than a token-only authKey where the app requires proof
  /// (`AppPolicies.grantsFullAccess`). Reading the device and reporting that it is alive do not, nor does returning a
  /// push that the device awaits, which is itself the proof; naming a user is checked separately, by stronger rules.
  fileprivate func needsFullAccess(of record: Devices.Record) -> Bool {
    switch self {
    case .find, .alive, .setUser: false
    case .possess: record.pending == nil
    default: true
    }
  }
}
