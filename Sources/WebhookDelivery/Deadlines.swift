internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store

/// The thread `fallback`: requests SMS where a push was not confirmed in time, reports the failures of ended messages,
/// and announces expiring certificates.
final class Deadlines {
  private let configuration: WebhookDeliveryConfiguration
  private let stopping: StopSignal
  private let clock = SystemClock()
  private let log = Logger(label: "fallback")
  private var watchAgainAt = Instant(nanoseconds: 0)

  init(_ configuration: WebhookDeliveryConfiguration, _ stopping: StopSignal) {
    self.configuration = configuration
    self.stopping = stopping
  }

  func run() {
    var pause = PollBackoff(usual: WebhookDeliveryLimits.pollInterval)
    let worker = DatabaseWorker(
      configuration.databaseURL, WebhookDeliveryLimits.connectionOptions(log.label), stopping: stopping,
      pause: WebhookDeliveryLimits.databasePause
    ) { [log] error in
      log.error("the database failed; trying again", metadata: FailureDetails.of(error).mapValues { "\($0)" })
    }
    worker.run { connection in
      let began = clock.now
      let count = try decide(connection, atMost: WebhookDeliveryLimits.decidedAtOnce)
      // If the limit was reached, more may be due: continue at once.
      guard count < WebhookDeliveryLimits.decidedAtOnce else { return }
      // Report one page at a time, so that no deadline waits for the report of a large message.
      guard try !report(connection) else { return }
      let took = clock.now - began
      try watchCredentials(connection)
      if count > 0 { pause.stir(at: clock.now) }
      stopping.rest(atMost: pause.after(took, at: clock.now))
    }
  }

  /// Calls `decideTogether`. If the batch fails because of a row's data, retries with half the limit; if a single row
  /// fails, postpones it and returns `decidedAtOnce`, so that the caller continues at once.
  func decide(_ connection: Connection, atMost limit: Int) throws -> Int {
    try Halving.run(atMost: limit) { (limit: Int, first: inout Fallbacks.Key?) throws -> Int in
      try decideTogether(connection, atMost: limit, first: &first)
    } giveUp: { (failed: Fallbacks.Key, error: PostgresError) throws -> Int in
      // By its key: by now another row may be the longest due, one that another node has just unlocked, for example.
      if try connection.run(Fallbacks.postponeFailed(failed)) {
        log.error(
          "it cannot be decided whether a short message is asked for; it is tried again in ten minutes",
          metadata: ["seqno": .stringConvertible(failed.seqno), "error": "\(error)"])
      }
      return WebhookDeliveryLimits.decidedAtOnce
    }
  }

  /// Decides at most `limit` due fallbacks and writes their SMS events in the same transaction. Returns how many were
  /// processed, including those of paused messages, and of ads where it is night, which stay undecided.
  /// - Parameter first: set to the first that was taken up, also if deciding them fails.
  private func decideTogether(
    _ connection: Connection, atMost limit: Int, first: inout Fallbacks.Key?
  ) throws -> Int {
    try connection.withTransaction {
      let due = try connection.run(Fallbacks.due(atMost: limit))
      first = due.first?.key
      guard !due.isEmpty else { return 0 }
      let asked = due.filter { $0.decision == .asked }
      let events = try SMSRequest.events(asked, configuration.contents, connection)
      try connection.run(Fallbacks.decide(due))
      if !events.isEmpty { try connection.run(Events.add(events)) }
      return due.count
    }
  }

  /// Writes the events for one page of a message's failures. Returns false if there is nothing to report.
  func report(_ connection: Connection) throws -> Bool {
    var taken: FailureReports.Report?
    do {
      return try connection.withTransaction {
        guard let report = try connection.run(FailureReports.take()) else { return false }
        taken = report
        try FailureReports.tell(report, on: connection)
        return true
      }
    } catch let error as PostgresError where error.isOwnFault {
      guard let taken else { throw error }
      // By its key: by now an older report may be free, which another node had locked.
      if try connection.run(FailureReports.setAside(taken)) {
        log.error(
          "the failures of a message cannot be told; see /v1/admin/messages/{seqno}/failures",
          metadata: ["seqno": .stringConvertible(taken.seqno), "error": "\(error)"])
      }
      return true
    }
  }

  private func watchCredentials(_ connection: Connection) throws(PostgresError) {
    guard clock.now >= watchAgainAt else { return }
    watchAgainAt = clock.now + WebhookDeliveryLimits.watchInterval
    try connection.run(Events.credentialsExpiring())
  }
}
