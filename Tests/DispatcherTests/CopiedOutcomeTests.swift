import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// First outcomes are copied in, many at once; that must not show.
@Suite struct CopiedOutcomeTests {
  private static let devices = Limits.copiedDecisions * 2

  /// What another node decides about a delivery: its row and what it counts.
  private static func decideElsewhere(_ seqno: Seqno, _ target: PushTarget, _ url: String) throws {
    let connection = try TestDatabase.connect(to: url)
    let record = Outcomes.Record(
      seqno: seqno, device: target.device, userKey: target.userKey, status: .rejected, attempts: 1,
      reason: "Elsewhere", dueAt: nil)
    var increase = Outcomes.Increase()
    increase.count(record.status, reason: record.reason)
    try connection.withTransaction {
      _ = try connection.run(Outcomes.write([record], at: 1))
      for query in Outcomes.add([seqno: increase], writer: 9_999) { try connection.run(query) }
    }
  }

  /// Lists have rows, ranges have blocks.
  private static var listed: String {
    let users = (1...devices).map { "\"" + String(repeating: "0", count: 8 - String($0).count) + "\($0)\"" }
    return #"{"clientUids":[\#(users.joined(separator: ","))]}"#
  }

  @Test func `copied outcomes are rows like any other`() throws {
    let world = try DispatcherWorld { _, target, _ in
      DispatcherWorld.number(target) == 7 ? .rejected(reason: "PayloadTooLarge") : .accepted
    }
    try world.makeDevices(1..<1 + Self.devices)
    let seqno = try world.send(Self.listed)
    let (funnel, reasons) = try world.finished(seqno)
    #expect(funnel.accepted == Int64(Self.devices - 1) && funnel.rejected == 1)
    #expect(reasons.contains("PayloadTooLarge"))
    #expect(try world.count("outcomes WHERE status = 1 AND attempts = 1 AND reason IS NULL") == Self.devices - 1)
    let refused = "outcomes WHERE status = 2 AND reason = 'PayloadTooLarge' AND user_key = 'u00000007'"
    #expect(try world.count(refused) == 1)
  }

  @Test func `an outcome that another node wrote first stands, and is counted once`() throws {
    let world = try DispatcherWorld()
    let url = world.databaseURL
    world.network.answer { _, target, _ in
      if DispatcherWorld.number(target) == 7 {
        // The first message of a fresh database.
        do { try Self.decideElsewhere(1, target, url) } catch { Issue.record(error) }
      }
      return .accepted
    }
    try world.makeDevices(1..<1 + Self.devices)
    #expect(try world.send(Self.listed) == 1)
    let (funnel, _) = try world.finished(1)
    #expect(funnel.accepted == Int64(Self.devices - 1) && funnel.rejected == 1 && funnel.pending == 0)
    #expect(try world.count("outcomes") == Self.devices)
    #expect(try world.count("outcomes WHERE reason = 'Elsewhere' AND status = 2") == 1)
  }
}
