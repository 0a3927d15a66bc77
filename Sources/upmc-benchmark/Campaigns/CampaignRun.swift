internal import Postgres
internal import Reactor

/// One campaign to every device, watched from outside until its funnel is closed.
struct CampaignRun {
  /// From the request to the end of the message.
  let seconds: Double
  /// From the request to the first push that reached the simulator.
  let firstPushMilliseconds: Double
  let peakResidentBytes: Int
  let processorSeconds: Double
  /// From each urgent request to the moment its outcome was written down: a little after the simulator had it.
  let urgentMilliseconds: [Double]

  private static let watchInterval = Duration.milliseconds(100)
  private static let firstPushInterval = Duration.milliseconds(5)
  static let urgentInterval = Duration.milliseconds(50)

  /// - Parameters:
  ///   - more: further members of the request.
  ///   - sendsUrgent: an urgent message to one user every 50 ms meanwhile.
  init(_ center: Center, _ stage: CampaignStage, _ more: String = "", sendsUrgent: Bool = false) throws {
    let clock = SystemClock()
    let pause = try Wakeup()
    let pushesBefore = try center.pushes()
    let processorBefore = center.program.tree.processorSeconds
    let start = clock.now
    let seqno = try center.send(#"{"all":true}"#, #","lane":"bulk""# + more)
    while try center.pushes() == pushesBefore { _ = pause.wait(atMost: Self.firstPushInterval) }
    firstPushMilliseconds = (clock.now - start).milliseconds
    var peak = 0
    var urgent: [(seqno: String, sentAt: Int64)] = []
    var isDone = false
    var nextLook = clock.now
    while !isDone {
      if sendsUrgent { urgent.append(try center.sendUrgent(stage, clock)) }
      if clock.now >= nextLook {
        try Interruption.check()
        nextLook = clock.now + Self.watchInterval
        peak = max(peak, center.program.tree.residentBytes)
        let funnel = try center.funnel(seqno)
        isDone = funnel.text["state"] == "completed"
        try Self.check(funnel, stage.devices, isDone: isDone)
      }
      _ = pause.wait(atMost: sendsUrgent ? Self.urgentInterval : Self.watchInterval)
    }
    seconds = (clock.now - start).milliseconds / 1000
    peakResidentBytes = peak
    processorSeconds = center.program.tree.processorSeconds - processorBefore
    urgentMilliseconds = try Latencies.untilOutcome(urgent, stage.connection)
  }

  /// A figure of a campaign that lost or invented somebody is none.
  private static func check(_ funnel: Fields, _ devices: Int, isDone: Bool) throws {
    let ended = ["accepted", "rejected", "expired", "cancelled", "skipped"].reduce(0) { $0 + (funnel.number[$1] ?? 0) }
    if let targeted = funnel.number["targeted"], targeted != ended + (funnel.number["pending"] ?? 0) {
      throw MeasuringError("the funnel does not add up: \(funnel.number)")
    }
    if isDone, funnel.number["accepted"] != devices {
      throw MeasuringError("not every device was accepted: \(funnel.number)")
    }
  }
}

/// How long sends took.
enum Latencies {
  /// Milliseconds from each request to its outcome row. Waits until all of them have ended.
  static func untilOutcome(_ sends: [(seqno: String, sentAt: Int64)], _ connection: Connection) throws -> [Double] {
    guard !sends.isEmpty else { return [] }
    var seqnos = Int64Column()
    for send in sends { seqnos.append(Int64(send.seqno)) }
    var parameters = Parameters()
    parameters.append(int64s: seqnos)
    let pause = try Wakeup()
    for _ in 0..<600 {
      let rows = try connection.run(Self.statement, parameters)
      guard rows.count >= sends.count else {
        _ = pause.wait(atMost: .milliseconds(50))
        continue
      }
      var ended: [Int64: Int64] = [:]
      for row in 0..<rows.count { ended[rows.int64(row, 0)] = rows.timestampMicroseconds(row, 1) }
      return sends.compactMap { send in
        Int64(send.seqno).flatMap { ended[$0] }.map { Double($0 - send.sentAt) / 1000 }
      }
    }
    throw MeasuringError("sends have no outcome after 30 seconds")
  }

  // SQL here looks at results; whatever the product does is in Store.
  private static let statement = Statement(
    "benchmark-outcomes", "SELECT seqno, max(at) FROM outcomes WHERE seqno = ANY($1) AND status <> 6 GROUP BY seqno")

  static func percentile(_ fraction: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
  }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
  }
}
