internal import Postgres
internal import Store

/// The checks of `upmc doctor` for the retention of history and the delivery of webhooks.
struct HistoryChecks {
  let place: String
  /// Retention of history in days; nil if unlimited.
  let days: Int32?

  func examine(_ connection: Connection, _ note: (Finding) -> Void) throws(PostgresError) {
    let history = try connection.run(Diagnosis.history(keepingDays: days ?? 36_500))
    if let missing = history.missingPartitions {
      note(
        .failure(
          "partitions", place, "missing: \(missing). What became of their messages cannot be written",
          remedy: "Somebody has dropped them by hand: bring the database back from a backup."))
    }
    if let hours = history.waitingHours, hours >= Maintenance.Limits.dropHours {
      note(
        .warning(
          "history", place, "what was to be dropped \(hours) hours ago is still there",
          remedy: "Somebody uses the tables of deliveries all the time: see pg_stat_activity for old transactions."))
    }
    if let seqno = history.heldBackBy {
      note(
        .warning(
          "history", place, "message \(seqno) is not over and holds back the history of all messages of its time",
          remedy: "See `upmc status \(seqno)`: send it (`upmc message resume`), or cancel it."))
    }
    let webhooks = try connection.run(Vitals.webhooks())
    if webhooks.dead > 0 {
      note(
        .warning(
          "webhooks", place, "\(webhooks.dead) events were given up",
          remedy: "`upmc webhook list` says where and why; `upmc webhook replay` sends them again."))
    }
    if webhooks.oldestSeconds > Double(Maintenance.Limits.webhookSeconds) {
      note(
        .warning(
          "webhooks", place, "an event waits since \(Int64(webhooks.oldestSeconds)) s",
          remedy: "The receiver does not answer 2xx: `upmc webhook deliveries` and its own log say why."))
    }
  }
}
