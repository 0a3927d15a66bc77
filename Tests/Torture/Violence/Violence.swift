import Simulator

/// What happens, to whom and when: all of it from the seed.
struct Violence {
  /// What can be done; carried out by `Run`.
  enum Act: Sendable {
    /// kill -9 of these nodes; back after so many milliseconds.
    case kill([Int], backAfter: Int)
    /// SIGTERM, and back when it has ended.
    case terminate(Int)
    /// SIGSTOP: the process lives, its leases run out.
    case freeze(Int, milliseconds: Int)
    case killPostgres(backAfter: Int)
    /// Nothing can be written any more, the database's log included.
    case fillDisk(milliseconds: Int)
    /// PostgreSQL ends this many sessions, whoever they belong to.
    case cutSessions(Int)
    /// The network misbehaves for a while; then an operator looks, if need be.
    case faults([Fault], milliseconds: Int, name: String)
    /// All connections to the network end at once.
    case cutConnections(Effect.Cut)
    /// The network is away.
    case outage(milliseconds: Int)
  }

  /// Each kind's weight, by name.
  static let kinds: [String: Int] = [
    "kill-server": 5, "kill-both": 1, "terminate-server": 3, "freeze-server": 2, "kill-postgres": 2,
    "cut-sessions": 2, "cut-connections": 3, "outage": 2, "answers": 6, "streams": 5, "goaway": 5, "connections": 4,
    "tokens": 3, "credential": 1, "throttle": 1, "fill-disk": 2,
  ]

  private var dice: Dice
  private let nodes: Int
  private let kinds: [(name: String, weight: Int)]
  /// A short run strikes faster.
  private let haste: Double

  init(_ plan: Plan) {
    dice = Dice(seed: plan.seed)
    nodes = plan.nodes
    // After a throttled provider token a server rests for two minutes: too long for a short run.
    let isShort = plan.violence < .seconds(600)
    let (only, fillsDisk) = (plan.only, plan.fillsDisk)
    let wanted = Self.kinds.filter { kind in
      if kind.key == "fill-disk", !fillsDisk { return false }
      return only.isEmpty ? !(isShort && kind.key == "throttle") : only.contains(kind.key)
    }
    kinds = wanted.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    haste = plan.violence < .seconds(90) ? 0.4 : 1
  }

  /// The next act and the milliseconds to wait before it.
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
    case "cut-sessions": .cutSessions(number(1...8))
    case "cut-connections": .cutConnections(pick([.reset, .fin, .halfOpen]))
    case "outage": .outage(milliseconds: milliseconds(300...3000))
    case "answers": faults(FaultMenu.answers)
    case "streams": faults(FaultMenu.streams)
    case "goaway": faults(FaultMenu.goAways)
    case "connections": faults(FaultMenu.connections)
    case "tokens": faults(FaultMenu.tokens)
    case "throttle": faults(FaultMenu.throttles)
    default: faults(FaultMenu.credentials)
    }
  }

  private mutating func faults(_ menu: (inout Dice) -> (name: String, faults: [Fault])) -> Act {
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
