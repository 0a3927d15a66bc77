internal import Domain
internal import Store

/// The badge counts that a batch looks at or moves: locked together, changed in the order of the operations, written once.
struct BadgeCounts {
  private var wanted: Set<Users.Key> = []
  private var names: [Users.Key: String] = [:]
  private var loaded: [Users.Key: Int16] = [:]
  private var present: [Users.Key: Int16] = [:]
  private let sink = Sink()

  /// Where the answers of the lock arrive.
  private final class Sink {
    var counts: [Users.Key: Int16] = [:]
  }

  /// True when round 3 is needed.
  var isWanted: Bool { !wanted.isEmpty || !names.isEmpty }

  /// Asks for a user's count to be locked.
  mutating func want(_ user: Users.Key) {
    wanted.insert(user)
  }

  /// Asks for the same and gives the user a name.
  mutating func name(_ user: Users.Key, _ name: String) {
    names[user] = name
  }

  func lock() -> [Step] {
    let sink = sink
    var steps: [Step] = []
    let unnamed = wanted.filter { names[$0] == nil }
    if !unnamed.isEmpty {
      // All in one order, those that get a name too: two statements in turn could meet somebody else's coming back.
      steps.append(Users.lock(wanted.union(names.keys)).map { sink.counts.merge($0) { _, new in new } })
    }
    if !names.isEmpty {
      steps.append(
        Users.name(names.map { ($0.key, $0.value) }).map { sink.counts.merge($0) { _, new in new } })
    }
    return steps
  }

  /// The locks are held and the counts known.
  mutating func begin() {
    loaded = sink.counts
    present = sink.counts
  }

  subscript(user: Users.Key) -> Int16 {
    get { present[user] ?? 0 }
    set { present[user] = newValue }
  }

  /// Writes what has changed.
  func save() -> [Step] {
    let changed = present.filter { loaded[$0.key] != $0.value }
    guard !changed.isEmpty else { return [] }
    return [Users.saveCounts(changed.map { ($0.key, $0.value) })]
  }
}
