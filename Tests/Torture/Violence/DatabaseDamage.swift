import Foundation
import Postgres

/// Damage to the database alone: it dies, its disk is full or broken, it refuses writes or connections, terminates
/// sessions, or one of its sessions hangs.
extension Run {
  func killPostgres(_ backAfter: Int) throws {
    guard !isPostgresDown else { return }
    wakeSession()
    stage.killPostgres()
    restorePostgres(after: backAfter)
    try note("kill -9 PostgreSQL", "kill -9 PostgreSQL, back after \(backAfter) ms", lasting: backAfter, isKill: true)
  }

  func fillDisk(_ milliseconds: Int) throws {
    guard !isPostgresDown, let empty = Disk(stage.directory)?.fill() else { return }
    // PostgreSQL exits by itself if it cannot write its log.
    restorePostgres(after: milliseconds) { empty() }
    try note("full disks", "the disk is full for \(milliseconds) ms", lasting: milliseconds)
  }

  func breakDisk(_ milliseconds: Int) throws {
    guard !isPostgresDown, let disk = stage.brokenDisk else { return }
    // It exits, or recovers if the disk is intact again by then.
    try disk.set(isBroken: true)
    restorePostgres(after: milliseconds) { try disk.set(isBroken: false) }
    try note("broken disks", "the database's log cannot be written for \(milliseconds) ms", lasting: milliseconds)
  }

  /// PostgreSQL counts as down until then, whether it exits or survives.
  /// - Parameter repair: what it needs to run again.
  private func restorePostgres(after milliseconds: Int, repair: @escaping () throws -> Void = {}) {
    isPostgresDown = true
    after(milliseconds) { [self] in
      try repair()
      try stage.restorePostgres()
      isPostgresDown = false
    }
  }

  func forbidWrites(_ milliseconds: Int) throws {
    guard !isPostgresDown, !isWaiting, let session = try? stage.session() else { return }
    guard (try? session.script("ALTER SYSTEM SET default_transaction_read_only = on")) != nil else { return }
    _ = try? session.script("SELECT pg_reload_conf()")
    isWaiting = true
    try note("read-only databases", "the database takes no writes for \(milliseconds) ms", lasting: milliseconds)
    allowWrites(after: milliseconds)
    expectWork("the database took no writes", from: milliseconds + 3000, upto: milliseconds + 12_000)
  }

  /// The disk may be full at that moment and refuse even this; then it is retried shortly after.
  private func allowWrites(after milliseconds: Int) {
    after(milliseconds) { [self] in
      guard !isPostgresDown else { return allowWrites(after: 500) }
      try stage.restorePostgres()
      let session = try stage.session()
      do {
        try session.script("ALTER SYSTEM RESET default_transaction_read_only")
      } catch let error as PostgresError where error.sqlState == .diskFull {
        return allowWrites(after: 500)
      }
      try session.script("SELECT pg_reload_conf()")
      isWaiting = false
    }
  }

  func useUpConnections(_ milliseconds: Int) throws {
    guard !isPostgresDown, !isWaiting else { return }
    // Existing connections keep working, so some are closed to force new ones.
    try endSessions(4)
    var held: [Connection] = []
    while held.count < Self.mostConnections, let session = try? stage.session() { held.append(session) }
    isWaiting = true
    try note(
      "connections used up", "\(held.count) connections are held for \(milliseconds) ms, and no more are given",
      lasting: milliseconds)
    after(milliseconds) { [self] in
      held = []
      isWaiting = false
    }
    expectWork("the database gave no connections", from: milliseconds + 3000, upto: milliseconds + 12_000)
  }

  /// More than any of our databases allows.
  private static let mostConnections = 200

  func hangSession(_ milliseconds: Int) throws {
    guard !isPostgresDown, hungSession == nil, let connection = try? stage.session() else { return }
    let find = Statement(
      "torture-find-session",
      """
      SELECT pid FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND datname = current_database()
        AND application_name <> '\(Stage.sessionName)'
      ORDER BY random() LIMIT 1
      """)
    guard let rows = try? connection.run(find), rows.count == 1 else { return }
    let session = rows.int32(0, 0)
    guard kill(session, SIGSTOP) == 0 else { return }
    hungSession = session
    try note("hung sessions", "a session of the database hangs for \(milliseconds) ms", lasting: milliseconds)
    after(milliseconds) { [self] in if hungSession == session { wakeSession() } }
  }

  /// Wakes the hung session; the next act on the database must not wait for it.
  private func wakeSession() {
    guard let hungSession else { return }
    self.hungSession = nil
    // Its process id cannot be reused while it is stopped; if it was killed in the meantime, this does no harm.
    kill(hungSession, SIGCONT)
  }

  func cutSessions(_ count: Int) throws {
    guard !isPostgresDown else { return }
    try note("database sessions cut", "\(count) database sessions are ended", lasting: 0)
    try endSessions(count)
  }

  private func endSessions(_ count: Int) throws {
    _ = try? stage.session().script(
      """
      SELECT pg_terminate_backend(pid) FROM (
        SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
        ORDER BY random() LIMIT \(count)) chosen
      """)
  }
}

/// A session that holds its first snapshot; reopened if it was cut.
final class HeldSnapshot {
  private let stage: Stage
  private var session: Connection?

  init(_ stage: Stage) {
    self.stage = stage
    take()
  }

  private func take() {
    session = try? stage.session()
    if (try? session?.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM apps")) == nil {
      session = nil
    }
  }

  /// Whether the snapshot was held since the last call; if not, a new one is taken.
  func isHeld() -> Bool {
    if let session, (try? session.script("SELECT 1")) != nil { return true }
    take()
    return false
  }
}
