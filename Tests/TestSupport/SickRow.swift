package import Postgres
internal import Reactor

/// A row of a queue that fails because of itself, while another node lets a healthy one go.
package enum SickRow {
  /// The key of an advisory lock for which one attempt waits.
  private static let gate = 7

  /// A script that makes `fail()` for triggers: every attempt to change the row fails, and one of them waits before.
  /// - Parameter attempt: the one that waits, counted from 1.
  package static func function(waitingAt attempt: Int = 1) -> String {
    """
    CREATE SEQUENCE attempts;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') = \(attempt) THEN PERFORM pg_advisory_xact_lock(\(gate)); END IF;
      RAISE EXCEPTION 'sick' USING ERRCODE = 'check_violation';
    END $$;
    """
  }

  /// Does the work of a node on a connection of its own. It meets the sick row, because another node has the healthy
  /// one, which is free by the time the attempt that waits fails. Returns what came of the work.
  /// - Parameters:
  ///   - url: of the database.
  ///   - lock: a statement that locks the healthy row.
  package static func meet<Outcome: Sendable>(
    in url: String, lock: String, _ work: @escaping @Sendable (Connection) throws -> Outcome
  ) throws -> Outcome {
    let (connection, other) = (try TestDatabase.connect(to: url), try TestDatabase.connect(to: url))
    try connection.script("SELECT pg_advisory_lock(\(gate))")
    let done = try Inbox<Result<Outcome, any Error>>(capacity: 1)
    try other.withTransaction {
      try other.script(lock)
      _ = try Thread(name: "sick") { _ = done.offer(Result { try work(TestDatabase.connect(to: url)) }) }
      _ = try poll("nobody meets the sick row") { try connection.waitingSessions() == 1 ? true : nil }
    }
    try connection.script("SELECT pg_advisory_unlock(\(gate))")
    return try done.receive(1, or: "the work does not end")[0].get()
  }
}
