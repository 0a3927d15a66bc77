internal import Domain
internal import Store

/// The badge counts that a batch looks at or moves: locked together, changed in the order of the operations, written once.
struct BadgeCounts {
  private var wanted: Set<Users.Key> = []
  private var names: [Users.Key: (said: Users.Said, isVouched: Bool)] = [:]
  private var loaded: [Users.Key: Users.Count] = [:]
  private var present: [Users.Key: Int16] = [:]
  /// Users whose counts were set, whatever moved them afterwards.
  private var isSet: Set<Users.Key> = []
  /// Increments that came after a set of this batch, or after one that is younger than their message.
  private var late: [Users.Key: [Ledger.Key]] = [:]
  /// Messages whose increments there was no room for, with how much was added.
  private var short: [(key: Ledger.Key, increment: Int16)] = []
  private let sink = Sink()

  /// Where the answers of the lock arrive.
  private final class Sink {
    var counts: [Users.Key: Users.Count] = [:]
  }

  /// True when round 3 is needed.
  var isWanted: Bool { !wanted.isEmpty || !names.isEmpty }

  /// Asks for a user's count to be locked.
  mutating func want(_ user: Users.Key) {
    wanted.insert(user)
  }

  /// Asks for the same and gives the user a name and a telephone number, if it has none.
  /// - Parameter isVouched: somebody vouches for whoever says it: it replaces another.
  mutating func name(_ user: Users.Key, _ named: NamedUser, isVouched: Bool) {
    names[user] = (Users.Said(name: named.name, phone: named.phone), isVouched)
  }

  /// The name of a user who was named, as it stands now.
  func name(of user: Users.Key) -> String { loaded[user]?.name ?? names[user]?.said.name ?? "" }

  func lock() -> [Step] {
    let sink = sink
    var steps: [Step] = []
    let unnamed = wanted.filter { names[$0] == nil }
    let (vouched, others) = (names.filter(\.value.isVouched), names.filter { !$0.value.isVouched })
    if !unnamed.isEmpty || !vouched.isEmpty && !others.isEmpty {
      // All in one order, those that get a name too: two statements in turn could meet somebody else's coming back.
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

  /// The locks are held and the counts known.
  mutating func begin() {
    loaded = sink.counts
    present = sink.counts.mapValues(\.badge)
  }

  /// The count at this place in the batch.
  subscript(user: Users.Key) -> Int16 { present[user] ?? 0 }

  /// A read takes one off.
  mutating func move(_ user: Users.Key, to count: Int16) {
    present[user] = count
  }

  /// A message adds its increment, as far as a count goes.
  mutating func add(_ increment: Int16, to user: Users.Key, by seqno: Int64) {
    let before = self[user]
    let after = BadgeCount.add(increment, to: before)
    present[user] = after
    if after - before != increment { short.append((Ledger.Key(user: user, seqno: seqno), after - before)) }
    if isSet.contains(user) || loaded[user]?.wasSet(since: seqno) == true {
      late[user, default: []].append(Ledger.Key(user: user, seqno: seqno))
    }
  }

  /// To a value; what was added before counts no more.
  mutating func set(_ user: Users.Key, to count: Int16) {
    present[user] = count
    isSet.insert(user)
    late[user] = nil
  }

  /// Writes what has changed.
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
