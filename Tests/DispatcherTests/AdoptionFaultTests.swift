import Domain
import Postgres
import TestSupport
import Testing

/// Claims of a dead node, of which one message's cannot be taken over because of its own data.
@Suite struct AdoptionFaultTests {
  /// - Parameter isCancelling: the faulty one is being cancelled, so it cannot be paused.
  @Test(arguments: [false, true])
  func `one whose claims cannot be taken over stops nobody else's, and nothing of it is lost`(
    isCancelling: Bool
  ) throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    try world.connection.script(
      "ALTER TABLE message_totals ADD CONSTRAINT poison CHECK (seqno <> 1 OR coalesce(unknown, 0) = 0)")
    try world.connection.withTransaction {
      for _ in 1...2 {
        let seqno = try world.send()
        try world.connection.script(
          """
          UPDATE messages SET state = 2, planned = true, frozen_at = now(), targeted = 1 WHERE seqno = \(seqno);
          INSERT INTO claims (seqno, node, devices, user_keys)
          VALUES (\(seqno), '00000000-0000-0000-0000-000000000077', '{\(DispatcherWorld.device(1))}', '{u00000001}')
          """)
      }
      try world.connection.script(
        "UPDATE messages SET state = 3, cancelled_at = now() WHERE seqno = 1 AND \(isCancelling)")
    }
    let other = try world.finished(2).funnel
    #expect((other.accepted, other.unknown, other.resent) == (1, 1, 1), "\(other)")
    if !isCancelling {
      _ = try poll("it was not set aside") {
        try world.funnel(1).funnel.stateReason?.hasPrefix("Set aside: ") == true ? true : nil
      }
    }
    #expect(try world.count("claims WHERE seqno = 1") == 1)

    try world.connection.script("ALTER TABLE message_totals DROP CONSTRAINT poison")
    if !isCancelling { try world.connection.script("UPDATE messages SET state = 2 WHERE seqno = 1") }
    let end = try world.finished(1).funnel
    #expect((end.accepted + end.skipped, end.unknown) == (1, 1), "\(end)")
  }
}
