import APNs
import Crypto
import Domain
import Foundation
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Server

/// One provider token per key for all nodes: Apple throttles whoever mints more often.
@Suite struct APNsCredentialRefresherTests {
  private static let (team, keyID) = ("TEAM123456", "KEY1234567")
  private static let pem = P256.PrivateKey().pem
  private static var name: KeyName {
    get throws { try SigningKey(p8: pem, keyID: keyID, teamID: team).name }
  }

  /// What a node has on its thread `catalog`, with a clock that all of them share. One thread at a time uses it.
  private final class Node: @unchecked Sendable {
    let sender: APNsSender
    let refresher: APNsCredentialRefresher
    let connection: Connection
    private let wishes: Inbox<App.Number>
    /// Apps whose keys were to be tried.
    private(set) var tried: [App.Number] = []

    init(_ database: TestDatabase, _ clock: ManualClock, beganAt: Timestamp? = nil) throws {
      let sender = try APNsSender(
        configuration: APNsConfiguration(), clock: clock, results: { _ in }, tokenNeeded: { _ in })
      self.sender = sender
      let wishes = try Inbox<App.Number>(capacity: 10)
      self.wishes = wishes
      refresher = APNsCredentialRefresher(
        sender: sender, requests: try Inbox(capacity: 10), master: try APNsCredentialRefresherTests.master,
        health: Health(),
        clock: clock, beganAt: beganAt ?? clock.wallTime, keyIsNew: { _ = wishes.offer($0) })
      connection = try database.connect()
    }

    func turn() throws {
      try refresher.turn(connection)
      tried += wishes.takeAll()
    }

    var token: ProviderToken? { refresher.tokens.values.first }
  }

  private static var master: MasterKey { get throws { try MasterKey(bytes: [UInt8](repeating: 7, count: 32)) } }

  private static func makeDatabase() throws -> (TestDatabase, Connection) {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    _ = try Administration.createApp(
      "com.example.bank", name: "Bank", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
    try store(pem, connection)
    return (database, connection)
  }

  private static func store(_ pem: String, _ connection: Connection) throws {
    let key = Administration.APNsKey(pem: pem, keyID: keyID, teamID: team)
    _ = try Administration.setCredential(
      key, of: "com.example.bank", master: master, by: .commandLine, on: connection)
  }

  /// Lets all nodes ask for the token at the same moment: they begin while somebody else holds it, and go on together.
  private func turnTogether(_ nodes: [Node], _ connection: Connection) throws {
    let done = try Inbox<String?>(capacity: nodes.count)
    try connection.withTransaction {
      _ = try connection.run(ProviderTokens.lock(Self.name.fingerprint))
      for node in nodes {
        _ = try Thread(name: "catalog") {
          do {
            try node.turn()
            _ = done.offer(nil)
          } catch {
            _ = done.offer("\(error)")
          }
        }
      }
      _ = try poll("not all nodes wait") { try waiting(connection) == nodes.count ? true : nil }
    }
    var ended: [String?] = []
    while ended.count < nodes.count {
      let more = done.receive(atMost: .patience)
      if more.isEmpty { break }
      ended += more
    }
    #expect(ended.count == nodes.count && ended.allSatisfy { $0 == nil }, "\(ended)")
  }

  private func waiting(_ connection: Connection) throws -> Int64 {
    // Within a transaction the activity is read once only.
    try connection.script("SELECT pg_stat_clear_snapshot()")
    return try connection.waitingSessions()
  }

  @Test func `nodes that want one at the same moment have one token of one time, and so at its renewal`() throws {
    let (database, connection) = try Self.makeDatabase()
    let clock = ManualClock(wallTime: SystemClock().wallTime)
    let nodes = try (0..<3).map { _ in try Node(database, clock) }
    try turnTogether(nodes, connection)
    let first = try #require(nodes[0].token)
    #expect(first.issuedAt == clock.wallTime.seconds && nodes.allSatisfy { $0.token == first })
    // Young: nobody renews it, also not one that has just started.
    clock.advance(by: .seconds(1800))
    let late = try Node(database, clock)
    for node in nodes + [late] { try node.turn() }
    #expect((nodes + [late]).allSatisfy { $0.token == first })

    clock.advance(by: .seconds(APNs.Limits.tokenLifeSeconds - APNs.Limits.tokenRenewalSeconds - 1800))
    try turnTogether(nodes, connection)
    let second = try #require(nodes[0].token)
    #expect(second != first && second.issuedAt == clock.wallTime.seconds)
    #expect(nodes.allSatisfy { $0.token == second })
    // Who comes late takes it, too.
    try late.turn()
    #expect(late.token == second)
  }

  @Test func `a key that is stored between the start and the first look is tried, and one from before is not`() throws {
    let (database, connection) = try Self.makeDatabase()
    let clock = ManualClock(wallTime: SystemClock().wallTime)
    let storedAt = try #require(try connection.run(Secrets.credentials())[0].storedAt)
    let early = try Node(database, clock, beganAt: storedAt - .microseconds(1))
    let late = try Node(database, clock, beganAt: storedAt + .microseconds(1))
    for node in [early, late] { try node.turn() }
    #expect(early.tried.count == 1 && late.tried.isEmpty)
    // Another one, while both run: whatever their clocks say.
    try Self.store(P256.PrivateKey().pem, connection)
    for node in [early, late] { try node.turn() }
    #expect(early.tried.count == 2 && late.tried.count == 1)
  }

  @Test func `a node tells its sender by when it has all credentials, with each look`() throws {
    let (database, _) = try Self.makeDatabase()
    let clock = ManualClock(wallTime: SystemClock().wallTime)
    let node = try Node(database, clock)
    #expect(node.sender.credentialsReadAtNanoseconds == 0)
    for _ in 0..<2 {
      clock.advance(by: .seconds(7))
      try node.turn()
      #expect(node.sender.credentialsReadAtNanoseconds == clock.now.nanoseconds)
    }
  }

  @Test func `a token of the future is replaced, in memory and in the database`() throws {
    let (database, _) = try Self.makeDatabase()
    let clock = ManualClock()
    let node = try Node(database, clock)
    let begin = clock.wallTime.seconds
    // A clock that is wrong for a minute.
    clock.advance(by: .seconds(30 * 86_400))
    try node.turn()
    #expect(node.token?.issuedAt == begin + 30 * 86_400)
    clock.advance(by: .seconds(60 - 30 * 86_400))
    try node.turn()
    #expect(node.token?.issuedAt == begin + 60)
    let other = try Node(database, clock)
    try other.turn()
    #expect(other.token == node.token)
  }

  /// A key of somebody else's making, stored for another app under the names of the first one's.
  private static func forge(_ connection: Connection) throws {
    _ = try Administration.createApp(
      "com.example.other", name: "Other", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
    let key = Administration.APNsKey(pem: P256.PrivateKey().pem, keyID: keyID, teamID: team)
    _ = try Administration.setCredential(
      key, of: "com.example.other", master: master, by: .commandLine, on: connection)
  }

  @Test func `a made-up key under the same names has a token of its own, and neither gets the other's`() throws {
    let (database, connection) = try Self.makeDatabase()
    try Self.forge(connection)
    let clock = ManualClock(wallTime: SystemClock().wallTime)
    let node = try Node(database, clock)
    try node.turn()
    #expect(node.refresher.tokens.count == 2)
    let own = try #require(node.refresher.tokens[Self.name])
    let others = node.refresher.tokens.values.filter { $0.key != own.key }
    #expect(others.count == 1 && others[0].value != own.value)
    let publicKey = try P256.PrivateKey(pem: Self.pem).publicKey
    func isSigned(_ token: ProviderToken) throws -> Bool {
      let parts = token.value.split(separator: ".")
      var text = parts[2].replacing("-", with: "+").replacing("_", with: "/")
      text += String(repeating: "=", count: (4 - text.count % 4) % 4)
      let signature = Array(try #require(Data(base64Encoded: String(text))))
      return publicKey.isValid(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
    }
    #expect(try isSigned(own) && !isSigned(others[0]))
    // The same holds after a renewal, on every node.
    clock.advance(by: .seconds(APNs.Limits.tokenLifeSeconds - APNs.Limits.tokenRenewalSeconds))
    let second = try Node(database, clock)
    for node in [node, second] { try node.turn() }
    #expect(try isSigned(try #require(second.refresher.tokens[Self.name])))
    #expect(node.refresher.tokens == second.refresher.tokens)
  }

  @Test func `what is stored of a token cannot be read, nor used in another row`() throws {
    let (database, connection) = try Self.makeDatabase()
    try Self.forge(connection)
    let clock = ManualClock(wallTime: SystemClock().wallTime)
    let node = try Node(database, clock)
    try node.turn()
    let token = try #require(node.refresher.tokens[Self.name])
    let rows = try connection.run(
      Statement("test-stored", "SELECT string_agg(encode(sealed, 'escape'), ' '), count(*) FROM apns_tokens"))
    #expect(rows.int64(0, 1) == 2 && !rows.text(0, 0).contains(token.value.prefix(20)))
    // Somebody copies the first key's token into the other key's row.
    let fingerprint = try Self.name.fingerprint
    try connection.script(
      """
      UPDATE apns_tokens SET sealed = (SELECT sealed FROM apns_tokens WHERE fingerprint = '\(fingerprint)'),
        issued_at = issued_at - interval '25 minutes'
      WHERE fingerprint <> '\(fingerprint)'
      """)
    let second = try Node(database, clock)
    try second.turn()
    #expect(second.refresher.tokens.values.filter { $0.value == token.value }.count == 1)
  }
}
