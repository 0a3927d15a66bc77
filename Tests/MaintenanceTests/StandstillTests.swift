import Postgres
import Store
import TestSupport
import TestTier
import Testing

@testable import Maintenance

/// What may stand still for long without an error.
@Suite(.slow, .serialized) struct StandstillTests {
  private func transaction(_ seconds: Int64, isIdle: Bool) -> Diagnosis.OldTransaction {
    Diagnosis.OldTransaction(who: "pid 4711, psql of kim", seconds: seconds, isIdle: isIdle)
  }

  @Test(arguments: [(59, true, false), (60, true, true), (3599, false, false), (3600, false, true)])
  func `a transaction is told that does nothing for a minute, or keeps its snapshot for an hour`(
    seconds: Int64, isIdle: Bool, isTold: Bool
  ) {
    let finding = StandstillChecks(place: "here").finding(transaction(seconds, isIdle: isIdle))
    #expect((finding != nil) == isTold)
    if let finding {
      #expect(finding.severity == .warning && finding.what.contains("pid 4711, psql of kim"))
      #expect(finding.what.contains("\(seconds) s") && !finding.remedy.isEmpty)
    }
  }

  @Test func `transactions of others are found, with who they are`() throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    var options = TestDatabase.patientOptions
    options.applicationName = "forgotten psql"
    let other = try Connection(database.url, options: options)
    try other.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM messages")
    let found = try connection.run(Diagnosis.oldTransactions())
    #expect(found.count == 1 && found.first?.isIdle == true, "\(found)")
    #expect(found.first?.who.contains("forgotten psql of ") == true, "\(found)")
    try other.script("ROLLBACK")
    #expect(try connection.run(Diagnosis.oldTransactions()).isEmpty)
  }

  @Test func `receipts that nobody adds up are spoken of, once it takes too long`() throws {
    let world = try MaintenanceWorld()
    for (minutes, isSaid) in [(29, false), (31, true)] {
      // In one transaction, so that now() does not move.
      try world.connection.script(
        """
        BEGIN;
        INSERT INTO confirmation_log (seqno, logged_at, entries)
        VALUES (1, now() - interval '\(minutes) minutes', decode(repeat('00', 10), 'hex'))
        """)
      var found: [Finding] = []
      try StandstillChecks(place: "here").examine(world.connection) { found.append($0) }
      try world.connection.script("COMMIT")
      let finding = found.first { $0.subject == "receipts" }
      #expect((finding != nil) == isSaid, "\(minutes)")
      if let finding { #expect(finding.severity == .warning && finding.what.contains("31 minutes"), "\(finding)") }
    }
    #expect(world.findings().contains { $0.subject == "receipts" && $0.severity == .warning })
  }

  @Test func `an app whose time zone the database does not know is a failure`() throws {
    let world = try MaintenanceWorld()
    #expect(!world.findings().contains { $0.subject == "time zones" })
    try world.connection.script("UPDATE apps SET time_zone = 'Mars/Base'")
    let finding = world.findings().first { $0.subject == "time zones" }
    #expect(finding?.severity == .failure)
    #expect(finding?.what.contains("(Mars/Base)") == true)
    #expect(finding?.what.contains("days of UTC") == true)
  }

  @Test func `a mark in the future is a failure, until a server has brought it back`() throws {
    let world = try MaintenanceWorld()
    #expect(!world.findings().contains { $0.subject == "marks" })
    try world.connection.script(
      "UPDATE statistics_progress SET hours_upto = date_trunc('hour', now()) + interval '24 days'")
    world.findings().expectOnlyFailure("marks", "statistics are made up to 2", remedy: "NTP")
    for query in FutureWatermarks.corrections { _ = try world.connection.run(query) }
    #expect(!world.findings().contains { $0.subject == "marks" })
  }
}
