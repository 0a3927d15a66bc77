import Foundation
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// The database is far away.
@Suite(.slow, .serialized) struct SlowLineTests {
  @Test(arguments: [65, 100])
  func `with a slow way to the database everything still leaves`(milliseconds: Int64) throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    // In the time that those of customers have.
    let world = try World(through: proxy, server: { $0.benchmarkOverrides.commitTimeout = nil })
    try world.register("d1", token: World.token("a1"), user: "kim")
    proxy.delay(.milliseconds(milliseconds))
    try world.expectDelivered(try world.sendCode())
    try world.expectDelivered(try world.send(#"{"all":true}"#))
  }
}
