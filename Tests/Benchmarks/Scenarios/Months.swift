internal import FoundationEssentials
internal import Postgres
internal import Reactor

/// P8: the cost of an idle node, and the latency of a code, after months of use. Measured with no finished message,
/// with three million and with thirty million; and while a session holds a snapshot (a backup, a forgotten session)
/// during many single sends.
struct Months: Scenario {
  let name = "P8"
  let summary = "cost of an idle node and delay of a code with up to thirty million messages that are over"
  private static let devices = 1_000
  private static let codes = 100
  /// Statements are prepared and the first polls are over.
  private static let warmUp = Duration.seconds(15)
  /// Longer than the minute after which polls start behind the finished messages.
  private static let settling = Duration.seconds(65)
  /// How much more an idle poll may cost than at first, in percent of a CPU.
  private static let tolerance = 3.0

  /// The figures for one size.
  private struct Figures {
    /// CPU use of PostgreSQL and of the server, in percent.
    let database: Double
    let server: Double
    /// Milliseconds from the request to the simulator.
    let median: Double
    let late: Double
  }

  func measure(_ plan: Plan) throws -> Outcome {
    let directory = FileManager.default.temporaryDirectory.path
    let free = FileStatus.freeBytes(at: directory) ?? 0
    guard plan.finishedMessages == 0 || free >= MonthsOfMessages.neededBytes else {
      throw MeasuringError(
        "\(directory) has \(free >> 30) GB free, and this needs \(MonthsOfMessages.neededBytes >> 30): free some, set TMPDIR "
          + "to a larger disk, or measure without messages (--finished-millions 0)")
    }
    let stage = try CampaignStage(plan, devices: Self.devices, network: .simulator(keepsDeliveries: true))
    defer { stage.close() }
    let connection = try Connection(stage.databaseURL)
    var outcome = Outcome(scenario: name)
    outcome.circumstances = stage.circumstances
    var present = 0
    var first: Figures?
    for size in [0, 3_000_000, 30_000_000] where size <= plan.finishedMessages {
      if size > 0 { try MonthsOfMessages.grow(to: size, from: present, plan, on: connection) }
      present = size
      let center = try stage.startOurs()
      let figures = try Self.measure(center, stage, connection, after: Self.warmUp, plan)
      note("\(size) over", figures, first, &outcome, plan)
      first = first ?? figures
      if plan.heldSends > 0, size == [0, 3_000_000, 30_000_000].last(where: { $0 <= plan.finishedMessages }) {
        // No timeout ends its session, just as none ends a backup's.
        var options = ConnectionOptions()
        options.idleInTransactionTimeout = nil
        let holder = try Connection(stage.databaseURL, options: options)
        try holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM apps")
        try MonthsOfMessages.pile(plan.heldSends, plan, on: connection)
        let held = try Self.measure(center, stage, connection, after: Self.settling, plan)
        note("\(plan.heldSends) sends beside a snapshot", held, first, &outcome, plan)
        try holder.script("ROLLBACK")
      }
      center.stop()
    }
    return outcome
  }

  private func note(_ label: String, _ figures: Figures, _ first: Figures?, _ outcome: inout Outcome, _ plan: Plan) {
    plan.say(
      "  \(label): PostgreSQL \(Outcome.number(figures.database)) %, server \(Outcome.number(figures.server)) %; "
        + "a code in \(Outcome.number(figures.median)) ms, p99 \(Outcome.number(figures.late)) ms")
    outcome.requirements += [
      Requirement(
        label: "\(label): PostgreSQL of an idle node", unit: "% of a processor", value: figures.database, side: .atMost,
        limit: (first ?? figures).database + Self.tolerance),
      Requirement(
        label: "\(label): a code, 99th percentile", unit: "ms", value: figures.late, side: .atMost, limit: 100),
    ]
    outcome.circumstances += [
      ("\(label): server, % of a processor", Outcome.number(figures.server)),
      ("\(label): a code, median ms", Outcome.number(figures.median)),
    ]
  }

  private static func measure(
    _ center: Center, _ stage: CampaignStage, _ connection: Connection, after pause: Duration, _ plan: Plan
  ) throws -> Figures {
    _ = try Latencies.untilArrival(try center.sendUrgent(5, stage), center)
    try wait(pause)
    let database = try ProcessTree.postgres(connection)
    let clock = SystemClock()
    let (began, databaseBefore, serverBefore) = (
      clock.now, database.processorSeconds, center.program.tree.processorSeconds
    )
    try wait(.seconds(max(20, plan.seconds)))
    let seconds = (clock.now - began).milliseconds / 1000
    let databaseSeconds = database.processorSeconds - databaseBefore
    let serverSeconds = center.program.tree.processorSeconds - serverBefore
    let codes = try Latencies.untilArrival(try center.sendUrgent(codes, stage), center)
    return Figures(
      database: 100 * databaseSeconds / seconds, server: 100 * serverSeconds / seconds,
      median: Latencies.percentile(0.5, of: codes), late: Latencies.percentile(0.99, of: codes))
  }

  private static func wait(_ time: Duration) throws {
    let (clock, pause) = (SystemClock(), try Wakeup())
    let end = clock.now + time
    while clock.now < end {
      try Interruption.check()
      _ = pause.wait(atMost: .milliseconds(200))
    }
  }
}
