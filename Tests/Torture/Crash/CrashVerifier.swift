import Foundation
import Postgres
import Store

/// Compares the answers that a reference run got with what the network received and what the database contains.
struct CrashVerifier {
  let stage: CrashStage
  let run: ReferenceRun
  let expected: ReferenceRun.Expected

  /// - Throws: `Broken`, with the first promise violated.
  func check() throws {
    try waitForRest()
    for question in Invariants.all {
      let broken = try stage.steadily { try stage.connection.run(question.broken) }
      if broken > 0 { throw Broken(question.name, "\(broken) times not: \(question.promise)") }
    }
    try checkMessages()
    try checkDeliveries()
    try checkBadges()
    try checkDevices()
    try checkPeople()
    try checkEvents()
  }

  private var app: String { "(SELECT app FROM apps WHERE app_id = '\(run.app)')" }

  /// Waits until nothing is claimed or deferred and every end was reported. Deferred work is made due.
  private func waitForRest() throws {
    var open: [String] = []
    try stage.hurry(app)
    _ = try run.caller.poll("not at rest: \(open.joined(separator: ", "))") { () -> Bool? in
      open = try [
        ("claims", "SELECT count(*) FROM claims c JOIN messages m USING (seqno) WHERE m.app = \(app)"),
        (
          "put off",
          "SELECT count(*) FROM outcomes o JOIN messages m USING (seqno) WHERE m.app = \(app) AND o.status = 6"
        ),
        ("put off in blocks", "SELECT count(*) FROM waits w JOIN messages m USING (seqno) WHERE m.app = \(app)"),
        ("open messages", "SELECT count(*) FROM messages WHERE app = \(app) AND state < 4"),
        ("fallbacks", "SELECT count(*) FROM fallbacks WHERE app = \(app) AND decision IS NULL"),
        // Runs after the work that creates events.
        (
          "untold events",
          "SELECT count(*) FROM event_deliveries d JOIN events e USING (event) WHERE e.app = \(app) AND d.ended_at IS NULL"
        ),
      ].compactMap { what, sql in try stage.count(sql) > 0 ? what : nil }
      return open.isEmpty ? true : nil
    }
  }

  private func checkMessages() throws {
    let stored = try stage.count("SELECT count(*) FROM messages WHERE app = \(app)")
    guard stored == expected.messages.count else {
      throw Broken("I1", "\(expected.messages.count) messages were answered, \(stored) are stored")
    }
    for (name, seqno) in expected.messages {
      let reply = try run.funnel(seqno)
      guard let tally = Tally(reply) else { throw Broken("I1", "\(name) is not there: \(reply.text)") }
      if let objection = tally.objection { throw Broken("I2", "\(name): \(objection)") }
      guard tally.pending == 0 else { throw Broken("I7", "\(name) has ended, with \(reply.text)") }
    }
  }

  private func checkDeliveries() throws {
    for (name, seqno) in expected.messages {
      guard let tally = Tally(try run.funnel(seqno)) else { continue }
      let arrived = (0..<ReferenceRun.devices).map { device in
        [0, 1].map { run.arrivals(of: seqno, at: run.token(device, generation: $0)) }.reduce(0, +)
      }
      let reached = arrived.count { $0 > 0 }
      let excess = arrived.map { max(0, $0 - 1) }.reduce(0, +)
      guard tally.accepted <= reached else {
        throw Broken("I3", "\(name): \(tally.accepted) accepted, but \(reached) devices were reached: \(tally.text)")
      }
      guard reached - tally.accepted <= tally.unknown, excess <= tally.resent + tally.unknown else {
        throw Broken("I3", "\(name): \(reached) devices were reached, \(excess) times too often: \(tally.text)")
      }
      guard seqno == expected.cancelled || tally.accepted == tally.targeted else {
        throw Broken("I3", "\(name) did not reach everybody: \(tally.text)")
      }
    }
    for seqno in expected.confirmed {
      // Receipts of the erased user are deleted a little later.
      let kept = try stage.count("SELECT count(*) FROM receipts WHERE seqno = \(seqno)")
      let erased = (0..<ReferenceRun.devices).count { run.user($0) == expected.erased }
      guard kept >= ReferenceRun.devices - erased else {
        throw Broken("I4", "\(kept) receipts are kept of \(ReferenceRun.devices - erased) that were answered")
      }
      let counted = try run.funnel(seqno).int("received") ?? 0
      guard counted == Int(kept) else { throw Broken("I4", "\(kept) receipts are kept, \(counted) are counted") }
    }
  }

  private func checkBadges() throws {
    for (user, badge) in expected.badges {
      let stored = try stage.count("SELECT badge FROM users WHERE app = \(app) AND user_key = 'u\(user)'")
      guard stored == badge else { throw Broken("I5", "the count of \(user) is \(stored), and should be \(badge)") }
    }
  }

  private func checkDevices() throws {
    let count = try stage.count("SELECT count(*) FROM devices WHERE app = \(app) AND state = 1")
    let erased = (0..<ReferenceRun.devices).count { run.user($0) == expected.erased }
    guard count == ReferenceRun.devices - erased || count == ReferenceRun.devices else {
      throw Broken("I6", "\(count) devices are registered")
    }
    let moved = run.token(expected.moved, generation: 1)
    guard try stage.count("SELECT count(*) FROM devices WHERE app = \(app) AND psid = '\(moved)' AND state = 1") == 1
    else {
      throw Broken("I6", "the device that moved does not have its new token")
    }
    let left = try stage.count("SELECT count(*) FROM users WHERE app = \(app) AND user_key = 'u\(expected.erased)'")
    guard left == 0 else { throw Broken("erasure", "\(expected.erased) is still there") }
  }

  private func checkPeople() throws {
    // Without the erased user.
    let members = try stage.count("SELECT count(*) FROM group_members WHERE app = \(app)")
    guard members == ReferenceRun.members - 1 else {
      throw Broken("I1", "the group has \(members) members, and should have \(ReferenceRun.members - 1)")
    }
    // One of the two users with devices has read it.
    let entries = "SELECT count(*) FROM inbox_entries WHERE seqno = \(expected.kept)"
    let (kept, read) = try (stage.count(entries), stage.count(entries + " AND read_at IS NOT NULL"))
    guard (kept, read) == (2, 1) else { throw Broken("I4", "\(kept) inboxes have the message, \(read) of them read") }
  }

  private func checkEvents() throws {
    let asked = stage.hook.events.filter { $0.appID == run.app && $0.kind == "sms.requested" }
    // One of the users u5 and u6 has confirmed; a user has two or three devices, and one SMS.
    for (user, most, least) in [("u5", 1, 1), ("u6", expected.isConfirmedInTime ? 0 : 1, 0)] {
      let count = Set(asked.filter { $0.user == user }.map(\.id)).count
      guard (least...most).contains(count) else {
        throw Broken("S7", "\(count) short messages were asked for to \(user)")
      }
    }
  }
}
