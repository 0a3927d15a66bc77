internal import Postgres
internal import Reactor

/// One campaign to every device, observed from outside until its funnel is closed.
struct CampaignRun {
  /// From the request to the end of the message.
  let seconds: Double
  /// From the request to the first push that reached the simulator; 0 for a sink, which keeps no record.
  let firstPushMilliseconds: Double
  let peakResidentBytes: Int
  let processorSeconds: Double
  /// PostgreSQL's CPU time, and the bytes of its write-ahead log.
  let databaseSeconds: Double
  let walBytes: Double
  /// Urgent sends during the campaign.
  let urgent: [UrgentSend]
  /// Microseconds per push in each quarter of the campaign, to see whether it slows down.
  let quarters: [Double]

  private static let watchInterval = Duration.milliseconds(100)
  private static let firstPushInterval = Duration.milliseconds(5)
  static let urgentInterval = Duration.milliseconds(50)

  /// - Parameters:
  ///   - more: additional members of the request.
  ///   - sendsUrgent: sends an urgent message to one user every 50 ms during the campaign.
  init(_ center: Center, _ stage: CampaignStage, _ more: String = "", sendsUrgent: Bool = false) throws {
    let clock = SystemClock()
    let pause = try Wakeup()
    let connection = try Connection(stage.databaseURL)
    let database = try ProcessTree.postgres(connection)
    let pushesBefore = stage.isBare ? 0 : try center.pushes()
    let processorBefore = center.program.tree.processorSeconds
    let (databaseBefore, walBefore) = (database.processorSeconds, try WriteAheadLog.bytes(connection))
    let start = clock.now
    let seqno = try center.send(#"{"all":true}"#, #","lane":"bulk""# + more)
    while !stage.isBare, try center.pushes() == pushesBefore { _ = pause.wait(atMost: Self.firstPushInterval) }
    firstPushMilliseconds = stage.isBare ? 0 : (clock.now - start).milliseconds
    var peak = 0
    var urgent: [UrgentSend] = []
    var isDone = false
    var nextLook = clock.now
    var reached = [0.0]
    while !isDone {
      if sendsUrgent { urgent.append(try center.sendUrgent(stage, clock)) }
      if clock.now >= nextLook {
        try Interruption.check()
        nextLook = clock.now + Self.watchInterval
        peak = max(peak, center.program.tree.residentBytes)
        let funnel = try center.funnel(seqno)
        isDone = funnel.text["state"] == "completed"
        try Self.check(funnel, stage.devices, isDone: isDone)
        while (funnel.number["accepted"] ?? 0) * 4 >= stage.devices * reached.count, reached.count <= 4 {
          reached.append((clock.now - start).milliseconds * 1000)
        }
      }
      _ = pause.wait(atMost: sendsUrgent ? Self.urgentInterval : Self.watchInterval)
    }
    seconds = (clock.now - start).milliseconds / 1000
    peakResidentBytes = peak
    processorSeconds = center.program.tree.processorSeconds - processorBefore
    databaseSeconds = database.processorSeconds - databaseBefore
    walBytes = try WriteAheadLog.bytes(connection) - walBefore
    self.urgent = urgent
    quarters = zip(reached.dropFirst(), reached).map { ($0 - $1) * 4 / Double(stage.devices) }
  }

  /// Throws if the campaign lost or invented a device: its figures would be meaningless.
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

/// Latencies of sends.
enum Latencies {
  /// Maximum number of sends queried: each costs the server a request.
  private static let samples = 2000

  /// Milliseconds from each request until its outcome was stored, for up to 2,000 sends spread evenly. Waits until
  /// these have ended.
  static func untilOutcome(_ sends: [(seqno: String, sentAt: Int64)], _ center: Center) throws -> [Double] {
    try stride(from: 0, to: sends.count, by: max(1, sends.count / samples)).map { number in
      let send = sends[number]
      return try wait("message \(send.seqno) has no outcome") {
        try center.endedAt(send.seqno).map { Double($0 - send.sentAt) / 1000 }
      }
    }
  }

  static func untilOutcome(_ sends: [UrgentSend], _ center: Center) throws -> [Double] {
    try untilOutcome(sends.map { ($0.seqno, $0.sentAt) }, center)
  }

  /// Milliseconds from each request until the simulator had the push.
  static func untilArrival(_ sends: [UrgentSend], _ center: Center) throws -> [Double] {
    try sends.map { send in
      try wait("message \(send.seqno) has not reached the simulator") {
        try center.arrivedAt(send.seqno, token: send.token).map { Double($0 - send.sentAt) / 1000 }
      }
    }
  }

  private static func wait(_ complaint: String, _ look: () throws -> Double?) throws -> Double {
    let pause = try Wakeup()
    for _ in 0..<600 {
      if let found = try look() { return found }
      _ = pause.wait(atMost: .milliseconds(50))
    }
    throw MeasuringError("\(complaint) after 30 seconds")
  }

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
