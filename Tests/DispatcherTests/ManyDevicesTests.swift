import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// One user has more devices than two bytes can count: every till of a chain, say, signs in as the same one.
@Suite struct ManyDevicesTests {
  @Test func `a message to a user with very many devices ends, and its badge is taken back`() throws {
    let world = try DispatcherWorld { _, _, _ in .rejected(reason: "PayloadTooLarge") }
    let count = Blocks.mostDevices + 2
    try world.makeDevices(1..<count + 1, user: "till")
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    let end = try world.finished(seqno).funnel
    #expect(end.targeted == Int64(count) && end.rejected == Int64(count), "\(end)")
    #expect(try world.badge("till") == 0)
    #expect(try world.count("badge_ledger WHERE deliveries = \(count) AND negatives = \(count)") == 1)
    #expect(try world.count("blocks") == 0, "a position in a block has two bytes")
  }
}
