internal import Postgres
internal import Store

/// The checks of `upmc doctor` for what makes others wait: transactions left open, receipts that are not folded,
/// watermarks that a wrong clock has set too far ahead, and apps in time zones that the database does not know.
struct StandstillChecks {
  let place: String

  func examine(_ connection: Connection, _ note: (Finding) -> Void) throws(PostgresError) {
    for transaction in try connection.run(Diagnosis.oldTransactions()) {
      if let finding = finding(transaction) { note(finding) }
    }
    if let minutes = try connection.run(Diagnosis.unfoldedMinutes()), minutes >= Maintenance.Limits.unfoldedMinutes {
      note(
        .warning(
          "receipts", place, "receipts have been in their log for \(minutes) minutes, and are not added up",
          remedy: "A running server does that after ten minutes: start one, or see what its log says of `fold`."))
    }
    if let marks = try connection.run(FutureWatermarks.find()) {
      note(
        .failure(
          "marks", place, "a clock that was wrong has set them into the future: \(marks)",
          remedy: "Set the clocks right by NTP. A running server brings the marks back within a minute of its start."))
    }
    if let apps = try connection.run(Diagnosis.appsInUnknownZones()) {
      note(
        .failure(
          "time zones", place,
          """
          its time zone data lack those of \(apps); messages of these that depend on local time, a window or the \
          hours for ads are set aside, and their statistics are shown in days of UTC
          """,
          remedy: "Give it the data (on Debian, old names are in tzdata-legacy), or change the zone of the app."))
    }
  }

  /// Returns the finding about an old transaction; nil if it blocks nothing.
  func finding(_ transaction: Diagnosis.OldTransaction) -> Finding? {
    let age = "\(transaction.seconds) s"
    if transaction.isIdle, transaction.seconds >= Maintenance.Limits.idleSeconds {
      return .warning(
        "transactions", place, "\(transaction.who) does nothing in a transaction that it began \(age) ago",
        remedy: "Whoever needs what it has locked waits: end it there, or by `SELECT pg_terminate_backend(…)`.")
    }
    if !transaction.isIdle, transaction.seconds >= Maintenance.Limits.snapshotSeconds {
      return .warning(
        "transactions", place, "\(transaction.who) has kept its snapshot for \(age)",
        remedy: "Rows that are done with pile up until it ends: let it end, or run backups from a standby.")
    }
    return nil
  }
}
