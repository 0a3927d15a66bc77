import Foundation
import Postgres
import Reactor
import TestSupport

/// Acts that make others wait instead of fail: a backup, a locked table, a slow line, a machine that vanishes without
/// closing its connections; and wrong clocks. One at a time, each with its end.
extension Run {
  func shiftClock(_ node: ServerNode, _ seconds: Int64, _ milliseconds: Int) throws {
    // At least one clock stays right, so that its node keeps sending.
    guard let clock = node.clock, stage.nodes.allSatisfy({ $0.clock?.seconds ?? 0 == 0 }) else { return }
    try clock.set(seconds)
    try note(
      "wrong clocks", "server \(node.number)'s clock is wrong by \(seconds) s for \(milliseconds) ms",
      lasting: milliseconds)
    let (identifier, deedsNow) = (node.identifier, databaseDeeds)
    // The database may still be recovering from an earlier act.
    let answers = !isPostgresDown && (try? stage.session().script("SELECT")) != nil
    after(3500, isCheck: true) { [self] in
      // A server detects its wrong clock by the database's time, so this check needs an undisturbed database.
      guard answers, !isResting, databaseDeeds == deedsNow, !isPostgresDown, !isWaiting, hungSession == nil,
        node.state == .up, node.identifier == identifier, node.seconds > 4
      else { return }
      count(Self.lookedThrough)
      if !node.hasSaid("clock") {
        verdict.violate("clock", "server \(node.number) has not noticed that its clock is wrong\n\(node.lastLogLines)")
      }
    }
    after(milliseconds) { try clock.set(0) }
  }

  /// Meanwhile the next partitions have to be created.
  func backUp(_ milliseconds: Int) throws {
    guard !isWaiting, let session = try? stage.session(),
      (try? session.script(RunningBackup.script)) != nil
    else {
      return
    }
    isWaiting = true
    let ahead = """
      SELECT setval('messages_seqno_seq', greatest((SELECT last_value FROM messages_seqno_seq),
        (SELECT max(upto_seqno) FROM seqno_ranges) - 900000))
      """
    _ = try? stage.session().script(ahead)
    try note("backups", "a backup reads for \(milliseconds) ms", lasting: milliseconds)
    expectWork("a backup", from: 1000, upto: milliseconds - 100)
    after(milliseconds) { [self] in
      _ = try? session.script("ROLLBACK")
      isWaiting = false
    }
  }

  func lockTable(_ table: String, _ milliseconds: Int) throws {
    guard !isWaiting, let session = try? stage.session() else { return }
    // Sessions using the table go first, for a moment.
    let lock = "SET lock_timeout = '2s'; BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE"
    guard (try? session.script(lock)) != nil else { return }
    isWaiting = true
    try note("locked tables", "\(table) is locked for \(milliseconds) ms", lasting: milliseconds)
    after(milliseconds) { _ = try? session.script("ROLLBACK") }
    let recovered = milliseconds + 10_000
    expectWork("\(table) was locked", from: milliseconds + 100, upto: recovered)
    after(recovered + 100) { [self] in isWaiting = false }
  }

  func slowDown(_ roundTrip: Int, _ milliseconds: Int) throws {
    guard !isWaiting else { return }
    isWaiting = true
    for node in stage.nodes { node.proxy?.delay(.milliseconds(roundTrip / 2)) }
    try note(
      "slow databases", "the database is \(roundTrip) ms away for \(milliseconds) ms", lasting: milliseconds)
    expectWork("the database is \(roundTrip) ms away", from: 3000, upto: milliseconds - 100)
    after(milliseconds) { [self] in
      for node in stage.nodes { node.proxy?.delay(.zero) }
      isWaiting = false
    }
  }

  /// As after a power cut: whatever the node's transactions locked stays locked until PostgreSQL notices.
  func vanish(_ node: ServerNode, _ backAfter: Int) throws {
    guard !isWaiting, node.state == .up, stage.nodes.contains(where: { $0 !== node && $0.state == .up }) else { return }
    isWaiting = true
    node.proxy?.fallSilent()
    node.kill()
    try note(
      "vanished machines", "the machine of server \(node.number) vanishes for \(backAfter) ms", lasting: backAfter,
      isKill: true)
    expectWork("a machine had vanished", from: 12_000, upto: 30_000)
    after(30_000, isCheck: true) { [self] in try expectNothingHeld() }
    after(backAfter) { [self] in
      node.proxy?.cut()
      if node.state == .down { try node.start() }
      isWaiting = false
    }
  }

  private func expectNothingHeld() throws {
    // A session that hangs cannot end its transaction either.
    guard !isResting, hungSession == nil, let connection = try? stage.session() else { return }
    let held = Statement(
      "torture-held",
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE state LIKE 'idle in transaction%' AND xact_start < now() - interval '25 seconds'
        AND application_name <> '\(Stage.sessionName)'
      """)
    guard let count = try? connection.run(held).int64(0, 0), count > 0 else { return }
    verdict.violate("I7", "\(count) transactions of a vanished machine are open after 30 s")
  }

  /// Counts how often the center was seen to make progress during a wait.
  private static let lookedThrough = "waits looked through"

  /// Number of acts on the database so far.
  private var databaseDeeds: Int { Self.databaseDeeds.reduce(0) { $0 + deeds[$1, default: 0] } }

  private static let databaseDeeds = [
    "kill -9 PostgreSQL", "full disks", "broken disks", "read-only databases", "connections used up", "hung sessions",
    "database sessions cut", "locked tables", "slow databases", "backups",
  ]

  private var disturbances: Int { deeds.filter { $0.key != Self.lookedThrough }.values.reduce(0, +) }

  /// Expects pushes to be sent and calls to be answered between two moments, in milliseconds from now, unless another
  /// act hits the center in between.
  func expectWork(_ what: String, from: Int, upto: Int) {
    let deedsNow = disturbances
    after(from, isCheck: true) { [self] in
      let before = try driver.ask { ($0.recorder.received, $0.calls.answered) }
      after(upto - from, isCheck: true) { [self] in
        guard !isResting, disturbances == deedsNow else { return }
        let now = try driver.ask { ($0.recorder.received, $0.calls.answered) }
        count(Self.lookedThrough)
        if now.0 == before.0 {
          verdict.violate("stall", "\(what): no push left for \(upto - from) ms\n\(lastLogLines)")
        }
        if now.1 == before.1 { verdict.violate("stall", "\(what): no call was answered for \(upto - from) ms") }
      }
    }
  }
}
