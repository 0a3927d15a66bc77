internal import Postgres
internal import Store

/// The check of `upmc doctor` for the invariants of messages and counts. Reads every delivery, so it runs only on
/// request: if a fault is suspected, or after a restore.
struct InvariantChecks {
  let place: String

  func examine(_ connection: Connection, _ note: (Finding) -> Void) {
    for question in Invariants.all {
      do throws(PostgresError) {
        let broken = try connection.run(question.broken)
        if broken == 0 {
          note(.ok("invariant \(question.name)", place, question.promise))
        } else {
          note(
            .failure(
              "invariant \(question.name)", place, "broken \(broken) times: \(question.promise)",
              remedy: "This is a fault of UPMC or of a hand in the tables: keep a backup as it is, and report it."))
        }
      } catch {
        note(
          .warning(
            "invariant \(question.name)", place, "\(error)",
            remedy: "It may only have taken too long: run it in a quiet hour."))
      }
    }
  }
}
