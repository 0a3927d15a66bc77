internal import Domain
internal import Store
internal import Time

/// Badge counts that a batch reads or changes: locked together, changed in the order of the operations, written once.
/// Decision 040.
struct BadgeCounts {
  private var wanted: Set<Users.Key> = []
  private var names: [Users.Key: (said: Users.Said, isVouched: Bool)] = [:]
  private var loaded: [Users.Key: Users.Count] = [:]
  private var present: [Users.Key: Int16] = [:]
  /// Users whose counts were set, even if they were changed again afterwards.
  private var isSet: Set<Users.Key> = []
  /// For each user, increments by messages that are older than the last setting of the user's count.
  private var late: [Users.Key: [Ledger.Key]] = [:]
  /// Increments that could not be added in full because of the count's maximum, each with the amount that was added.
  private var short: [(key: Ledger.Key, increment: Int16)] = []
  private let sink = Sink()

  /// Receives the rows of the lock statements.
  private final class Sink {
    var counts: [Users.Key: Users.Count] = [:]
  }

  /// Whether counts must be locked in round 2 and saved in round 3.
  var isWanted: Bool { !wanted.isEmpty || !names.isEmpty }

  /// Requests the lock of a user's count.
  mutating func want(_ user: Users.Key) {
    wanted.insert(user)
  }

  /// Requests the lock of a user's count, and the storage of a name and telephone number where the user has none yet.
  /// - Parameter isVouched: whether both are vouched for, and therefore replace existing ones too.
  mutating func name(_ user: Users.Key, _ named: NamedUser, isVouched: Bool) {
    names[user] = (Users.Said(name: named.name, phone: named.phone), isVouched)
  }

  /// Returns the stored name of a user for whom `name` was called; before `begin`, the name from this batch. Empty for
  /// other users.
  func name(of user: Users.Key) -> String { loaded[user]?.name ?? names[user]?.said.name ?? "" }

  func lock() -> [Step] {
    let sink = sink
    var steps: [Step] = []
    let unnamed = wanted.filter { names[$0] == nil }
    let (vouched, others) = (names.filter(\.value.isVouched), names.filter { !$0.value.isVouched })
    if !unnamed.isEmpty || !vouched.isEmpty && !others.isEmpty {
      // Locks all users in one order, including those to be named: two statements in turn could deadlock with another
      // batch's.
      steps.append(Users.lock(wanted.union(names.keys)).map { sink.counts.merge($0) { _, new in new } })
    }
    for (names, renames) in [(vouched, true), (others, false)] where !names.isEmpty {
      steps.append(
        Users.name(names.map { ($0.key, $0.value.said) }, renames: renames).map {
          sink.counts.merge($0) { _, new in new }
        })
    }
    return steps
  }

  /// Reads the counts that `lock` has loaded. Call it once the locks are held.
  mutating func begin() {
    loaded = sink.counts
    present = sink.counts.mapValues(\.badge)
  }

  /// The user's count at this point of the batch; 0 for a user who was not locked. Call `begin` first.
  subscript(user: Users.Key) -> Int16 { present[user] ?? 0 }

  /// Changes a count to a value derived from its former one, as when a read subtracts one.
  mutating func move(_ user: Users.Key, to count: Int16) {
    present[user] = count
  }

  /// Adds a message's increment, up to the count's maximum, and records where the ledger must be corrected.
  mutating func add(_ increment: Int16, to user: Users.Key, by seqno: Seqno) {
    let before = self[user]
    let after = BadgeCount.add(increment, to: before)
    present[user] = after
    if after - before != increment { short.append((Ledger.Key(user: user, seqno: seqno), after - before)) }
    if isSet.contains(user) || loaded[user]?.wasSet(since: seqno) == true {
      late[user, default: []].append(Ledger.Key(user: user, seqno: seqno))
    }
  }

  /// Sets a count to a value, so that increments before this call no longer matter.
  mutating func set(_ user: Users.Key, to count: Int16) {
    present[user] = count
    isSet.insert(user)
    late[user] = nil
  }

  /// Returns the steps that write the changed counts, and the corrections of the ledger; empty if nothing changed.
  func save() -> [Step] {
    var steps: [Step] = []
    let moved = present.filter { !isSet.contains($0.key) && loaded[$0.key]?.badge != $0.value }
    if !moved.isEmpty { steps.append(Users.saveCounts(moved.map { ($0.key, $0.value) })) }
    if !isSet.isEmpty {
      steps.append(Users.setCounts(isSet.map { ($0, self[$0]) }).map { _ in })
    }
    let late = late.values.flatMap { $0 }
    if !late.isEmpty { steps.append(Ledger.noteCounted(late)) }
    if !short.isEmpty { steps.append(Ledger.noteMoved(short)) }
    return steps
  }
}

/// Tracks which users' other devices must be notified of a new badge count, in apps with that setting
/// (`AppPolicies.badgeSync`).
///
/// Only changes made by a device (a read, a set) are synchronized: a send carries its count to all devices anyway.
struct BadgeSync {
  private final class Found {
    var several: Set<Users.Key> = []
  }

  private let found = Found()
  private var changes: [Users.Key: DeviceID?] = [:]

  /// Returns the steps that find the users with more than one device, for round 2. Ignores guests, and users of apps
  /// without the setting; empty if no users are left.
  func look(_ users: Set<Users.Key>, _ policies: AppPolicies) -> [Step] {
    let asked = users.filter { policies.badgeSync.contains($0.app) && !$0.userKey.isGuest }
    guard !asked.isEmpty else { return [] }
    let found = found
    return [
      // Two of them are enough to know: an account that many share may have any number.
      Bindings.some(of: asked).map { devices in
        found.several = Set(devices.filter { $0.value.count > 1 }.map(\.key))
      }
    ]
  }

  /// Records that a device changed its user's count. Has no effect unless `look` has found that the user has more than
  /// one device.
  mutating func note(_ user: Users.Key, by device: DeviceID) {
    guard found.several.contains(user) else { return }
    // If two devices changed it, neither knows the final count.
    if let known = changes[user], known != device { changes[user] = .some(nil) } else { changes[user] = device }
  }

  /// Returns the steps that queue the notifications, due after `badgeSyncDelay`; empty if there are none. For round 3,
  /// after the users are locked.
  func save(at now: Timestamp) -> [Step] {
    guard !changes.isEmpty else { return [] }
    return [
      BadgeSyncs.queue(
        changes.map { (user: $0.key, device: $0.value) },
        dueAt: now + Operations.Limits.badgeSyncDelay)
    ]
  }
}

extension Operations.Limits {
  /// Time for which changes of a user's count are gathered before its other devices are notified: one second.
  static let badgeSyncDelay: Duration = .seconds(1)
}
