import Simulator

/// Decides what happens, to whom and when, all from the seed.
struct Violence {
  /// The acts; `Run` performs them.
  enum Act: Sendable {
    /// kill -9 of these nodes; restarted after `backAfter` milliseconds.
    case kill([Int], backAfter: Int)
    /// SIGTERM; restarted once it has exited.
    case terminate(Int)
    /// SIGSTOP: the process lives, but its leases expire.
    case freeze(Int, milliseconds: Int)
    case killPostgres(backAfter: Int)
    /// No more writes succeed, including the database's log.
    case fillDisk(milliseconds: Int)
    /// The database's log can be neither written nor synced.
    case breakDisk(milliseconds: Int)
    /// The database refuses writes.
    case forbidWrites(milliseconds: Int)
    /// Takes all connections that the database allows.
    case useUpConnections(milliseconds: Int)
    /// A node's session hangs in its current statement.
    case hangSession(milliseconds: Int)
    /// PostgreSQL terminates this many sessions, of any owner.
    case cutSessions(Int)
    /// The network misbehaves for a while; then an operator steps in, if necessary.
    case faults([Fault], milliseconds: Int, name: String)
    /// All connections to the network end at once.
    case cutConnections(Effect.Cut)
    /// The network is unreachable.
    case outage(milliseconds: Int)
    /// The wall clock of a node is off by `seconds`.
    case shiftClock(Int, seconds: Int64, milliseconds: Int)
    /// A session reads everything slowly, as a backup does.
    case backUp(milliseconds: Int)
    case lockTable(String, milliseconds: Int)
    /// Every round trip of the nodes to the database takes `roundTrip` milliseconds.
    case slowDatabase(roundTrip: Int, milliseconds: Int)
    /// A node's machine loses power.
    case vanish(Int, backAfter: Int)
  }

  /// The weight of each kind, by name.
  static let kinds: [String: Int] = [
    "kill-server": 5, "kill-both": 1, "terminate-server": 3, "freeze-server": 2, "kill-postgres": 2,
    "cut-sessions": 2, "cut-connections": 3, "outage": 2, "answers": 6, "streams": 5, "goaway": 5, "connections": 4,
    "tokens": 3, "credential": 1, "throttle": 1, "fill-disk": 2, "wrong-clock": 2, "backup": 1, "lock-table": 1,
    "slow-database": 1, "vanish-host": 1, "break-disk": 1, "read-only": 1, "no-connections": 1, "hang-session": 1,
  ]
  /// Kinds that take longer than a short run has time for.
  private static let long: Set<String> = [
    "wrong-clock", "backup", "lock-table", "slow-database", "vanish-host", "read-only", "no-connections",
    "hang-session",
  ]
  /// How long a session hangs, in milliseconds: longer than every timeout.
  private static let hang = 60_000

  private var dice: SplitMix64
  private let nodes: Int
  private let kinds: [(name: String, weight: Int)]
  /// Speeds up the acts of a short run.
  private let haste: Double

  init(_ plan: Plan) {
    dice = SplitMix64(seed: plan.seed)
    nodes = plan.nodes
    kinds = Self.kinds(of: plan).sorted().compactMap { name in Self.kinds[name].map { (name, $0) } }
    haste = plan.violence < .seconds(90) ? 0.4 : 1
  }

  /// The names of the acts that a run may perform.
  static func kinds(of plan: Plan) -> Set<String> {
    Set(kinds.keys).filter { kind in
      if kind == "fill-disk", !plan.fillsDisk { return false }
      if kind == "vanish-host", plan.nodes < 2 { return false }
      if !plan.only.isEmpty { return plan.only.contains(kind) }
      // After a throttled provider token a server pauses for two minutes: too long for a short run.
      if kind == "throttle" { return plan.violence >= .seconds(600) }
      return plan.violence >= .seconds(90) || !long.contains(kind)
    }
  }

  /// The next act and the delay before it, in milliseconds.
  mutating func next() -> (milliseconds: Int, act: Act) {
    (milliseconds(300...3500), act())
  }

  private mutating func act() -> Act {
    switch kind() {
    case "kill-server": .kill([node()], backAfter: milliseconds(0...2500))
    case "kill-both": .kill(Array(0..<nodes), backAfter: milliseconds(0...2000))
    case "terminate-server": .terminate(node())
    case "freeze-server": .freeze(node(), milliseconds: dice.roll(0.5) ? milliseconds(200...4000) : 12_500)
    case "kill-postgres": .killPostgres(backAfter: milliseconds(0...2000))
    case "fill-disk": .fillDisk(milliseconds: milliseconds(500...6000))
    case "break-disk": .breakDisk(milliseconds: milliseconds(100...4000))
    case "read-only": .forbidWrites(milliseconds: number(1000...8000))
    case "no-connections": .useUpConnections(milliseconds: number(2000...8000))
    case "hang-session": .hangSession(milliseconds: Self.hang)
    case "cut-sessions": .cutSessions(number(1...8))
    case "cut-connections": .cutConnections(pick([.reset, .fin, .halfOpen]))
    case "outage": .outage(milliseconds: milliseconds(300...3000))
    case "answers": faults(FaultMenu.answers)
    case "streams": faults(FaultMenu.streams)
    case "goaway": faults(FaultMenu.goAways)
    case "connections": faults(FaultMenu.connections)
    case "tokens": faults(FaultMenu.tokens)
    case "throttle": faults(FaultMenu.throttles)
    case "wrong-clock":
      .shiftClock(node(), seconds: pick([660, -660, 90_000, 30 * 86_400]), milliseconds: number(4000...12_000))
    case "backup": .backUp(milliseconds: number(8000...14_000))
    case "lock-table":
      .lockTable(pick(["devices", "users", "messages", "outcomes", "psids"]), milliseconds: number(5000...10_000))
    case "slow-database": .slowDatabase(roundTrip: 150, milliseconds: number(9000...14_000))
    case "vanish-host": .vanish(node(), backAfter: 32_000)
    default: faults(FaultMenu.credentials)
    }
  }

  private mutating func faults(_ menu: (inout SplitMix64) -> (name: String, faults: [Fault])) -> Act {
    let (name, faults) = menu(&dice)
    return .faults(faults, milliseconds: milliseconds(500...5000), name: name)
  }

  private mutating func kind() -> String {
    var left = Int(dice.next() % UInt64(kinds.reduce(0) { $0 + $1.weight }))
    for kind in kinds {
      left -= kind.weight
      if left < 0 { return kind.name }
    }
    return kinds[0].name
  }

  private mutating func node() -> Int { number(0...nodes - 1) }
  private mutating func milliseconds(_ range: ClosedRange<Int>) -> Int { Int(Double(number(range)) * haste) }
  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number(0...choices.count - 1)] }
}
