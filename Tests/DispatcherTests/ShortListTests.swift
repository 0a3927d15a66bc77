import Domain
import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher

/// Messages that list their recipients and come past the committers: many are planned in one commit.
@Suite struct ShortListTests {
  @Test func `many messages to a few users each are planned in few commits, and reach everyone once`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(0..<400)
    let second = try world.addNode { _, _, _ in .accepted }
    // What waits is planned, and not yet claimed.
    try world.connection.run(AppPauses.pause(world.app, reason: "test"))
    var seqnos: [Seqno] = []
    try world.connection.withTransaction {
      for number in 0..<200 {
        let users = (0..<3).map { "\"\(user(number + $0))\"" }.joined(separator: ",")
        seqnos.append(try world.send(#"{"clientUids":[\#(users)]}"#, #","badge":{"increment":1}"#))
      }
      seqnos.append(try world.send(#"{"clientUids":["nobody"]}"#))
    }
    for dispatcher in world.dispatchers { dispatcher.poke() }
    _ = try poll("the messages are not planned") {
      try world.count("messages WHERE NOT planned") == 0 ? true : nil
    }
    #expect(try world.count("(SELECT DISTINCT xmin::text FROM shards) commits") < 30)

    try world.resume()
    for seqno in seqnos.dropLast() {
      let funnel = try world.finished(seqno).funnel
      #expect(funnel.targeted == 3 && funnel.accepted == 3, "message \(seqno)")
    }
    let last = try #require(seqnos.last)
    #expect(try world.finished(last).funnel.targeted == 0)
    let deliveries = (world.network.log + second.log).map { Confirmations.Delivery(seqno: $0.seqno, device: $0.device) }
    #expect(deliveries.count == 600 && Set(deliveries).count == 600)
    // Named by three messages.
    #expect(try world.badge(user(100)) == 3)
  }

  private func user(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
