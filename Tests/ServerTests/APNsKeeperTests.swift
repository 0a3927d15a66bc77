import APNs
import Crypto
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Server

/// One provider token per key for all nodes: Apple throttles whoever mints more often.
@Suite struct APNsKeeperTests {
  private static let (team, keyID) = ("TEAM123456", "KEY1234567")

  /// What a node has on its thread `catalog`, with a clock that all of them share. One thread at a time uses it.
  private final class Node: @unchecked Sendable {
    let keeper: APNsKeeper
    let connection: Connection

    init(_ database: TestDatabase, _ clock: ManualClock) throws {
      let sender = try APNsSender(
        configuration: APNsConfiguration(), clock: clock, results: { _ in }, tokenNeeded: { _ in })
      keeper = APNsKeeper(
        sender: sender, requests: try Inbox(capacity: 10), master: try APNsKeeperTests.master, health: Health(),
        clock: clock)
      connection = try database.connect()
    }

    var token: ProviderToken? { keeper.tokens["\(APNsKeeperTests.team) \(APNsKeeperTests.keyID)"] }
  }

  private static var master: MasterKey { get throws { try MasterKey(bytes: [UInt8](repeating: 7, count: 32)) } }

  private static func makeDatabase() throws -> (TestDatabase, Connection) {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    _ = try Administration.createApp(
      "com.example.bank", name: "Bank", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
    let key = Administration.APNsKey(pem: P256.Signing.PrivateKey().pemRepresentation, keyID: keyID, teamID: team)
    _ = try Administration.setCredential(
      key, of: "com.example.bank", master: master, by: .commandLine, on: connection)
    return (database, connection)
  }

  /// Lets all nodes ask for the token at the same moment: they begin while somebody else holds it, and go on together.
  private func turnTogether(_ nodes: [Node], _ connection: Connection) throws {
    let done = try Inbox<String?>(capacity: nodes.count)
    try connection.withTransaction {
      _ = try connection.run(Secrets.lockProviderToken(teamID: Self.team, keyID: Self.keyID))
      for node in nodes {
        _ = try Thread(name: "catalog") {
          do {
            try node.keeper.turn(node.connection)
            _ = done.offer(nil)
          } catch {
            _ = done.offer("\(error)")
          }
        }
      }
      let pause = try Wakeup()
      for _ in 0..<6000 where try waiting(connection) < nodes.count { _ = pause.wait(atMost: .milliseconds(10)) }
      #expect(try waiting(connection) == nodes.count)
    }
    var ended: [String?] = []
    while ended.count < nodes.count {
      let more = done.receive(atMost: .seconds(60))
      if more.isEmpty { break }
      ended += more
    }
    #expect(ended.count == nodes.count && ended.allSatisfy { $0 == nil }, "\(ended)")
  }

  private static let waitingStatement = Statement(
    "waiting", "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")

  private func waiting(_ connection: Connection) throws -> Int64 {
    // Within a transaction the activity is read once only.
    try connection.script("SELECT pg_stat_clear_snapshot()")
    return try connection.run(Self.waitingStatement).int64(0, 0)
  }

  @Test func `nodes that want one at the same moment have one token of one time, and so at its renewal`() throws {
    let (database, connection) = try Self.makeDatabase()
    let clock = ManualClock(wallMicroseconds: SystemClock().wallMicroseconds)
    let nodes = try (0..<3).map { _ in try Node(database, clock) }
    try turnTogether(nodes, connection)
    let first = try #require(nodes[0].token)
    #expect(first.issuedAt == clock.wallMicroseconds / 1_000_000 && nodes.allSatisfy { $0.token == first })
    // Young: nobody renews it, also not one that has just started.
    clock.advance(by: .seconds(1800))
    let late = try Node(database, clock)
    for node in nodes + [late] { try node.keeper.turn(node.connection) }
    #expect((nodes + [late]).allSatisfy { $0.token == first })

    clock.advance(by: .seconds(APNs.Limits.tokenLifeSeconds - APNs.Limits.tokenRenewalSeconds - 1800))
    try turnTogether(nodes, connection)
    let second = try #require(nodes[0].token)
    #expect(second != first && second.issuedAt == clock.wallMicroseconds / 1_000_000)
    #expect(nodes.allSatisfy { $0.token == second })
    // Who comes late takes it, too.
    try late.keeper.turn(late.connection)
    #expect(late.token == second)
  }
}
