import Operations
import Postgres
import Reactor
import Server
import Simulator
import Store
import Synchronization
import TestSupport
import Testing

/// The database's machine is gone in the middle of the work, and its synchronous standby is promoted: nothing that was
/// answered is lost, nothing is there twice, and the same server goes on by itself.
@Suite(.serialized) struct FailoverTests {
  /// What a client was told, and what it was not.
  private struct Book: Sendable {
    /// Idempotency key → SEQNO of sends that were answered 202.
    var sent: [String: String] = [:]
    /// Keys of sends that were asked and not answered 202.
    var open: Set<String> = []
    /// Devices whose registration was answered 201 or 200.
    var registered: Set<String> = []
    var lastAnswerAt: Instant?
    var refusals = 0
    var isOver = false
  }

  /// The book, as all clients write into it.
  private final class Desk: Sendable {
    private let book = Mutex(Book())

    var now: Book { book.withLock { $0 } }

    func sent(_ key: String, as seqno: String) {
      let now = SystemClock().now
      book.withLock { book in
        book.sent[key] = seqno
        book.lastAnswerAt = now
      }
    }

    func refused(_ key: String?) {
      book.withLock { book in
        book.refusals += 1
        if let key { book.open.insert(key) }
      }
    }

    func registered(_ device: String) { book.withLock { _ = $0.registered.insert(device) } }
    func end() { book.withLock { $0.isOver = true } }
  }

  @Test func `a killed primary loses nothing that was answered, and the promoted standby serves within ten seconds`()
    throws
  {
    let pair = ReplicatedPair(ports: [try Self.freePort(), try Self.freePort()])
    defer { pair.remove() }
    try Connection(pair.url(database: "postgres")).script("CREATE DATABASE upmc")
    let url = pair.url(database: "upmc")
    let connection = try Connection(url)
    try Migrator(directory: TestDatabase.migrationsDirectory).migrate(connection)
    var simulated = Simulator.Configuration()
    simulated.keepsPayloads = true
    let simulator = Simulator(simulated)
    let started = try simulator.start()
    defer { simulator.stop() }
    let master = try MasterKey(bytes: [UInt8](repeating: 7, count: 32))
    let (clientKey, apiKey) = try World.makeApp(started, master, connection)
    let server = try Server(try World.configuration(started), databaseURL: url, master: master)
    defer { server.stop() }

    let desk = Desk()
    let ended = try Inbox<Void>(capacity: 4)
    let port = server.address.port
    for worker in 0..<4 {
      _ = try Thread(name: "client-\(worker)") {
        Self.work(worker, port, clientKey, apiKey, desk)
        _ = ended.offer(())
      }
    }
    func wait(_ complaint: String, _ condition: (Book) -> Bool) throws {
      let pause = try Wakeup()
      for _ in 0..<3000 {
        if condition(desk.now) { return }
        _ = pause.wait(atMost: .milliseconds(20))
      }
      Issue.record("\(complaint): \(desk.now.sent.count) sent, \(desk.now.refusals) refused")
    }
    try wait("there is no work") { $0.sent.count >= 300 }
    let clock = SystemClock()
    let killedAt = clock.now
    pair.killPrimary()
    pair.promoteStandby()
    let promotedAt = clock.now
    try wait("it does not serve again") { ($0.lastAnswerAt ?? killedAt) > promotedAt }
    let away = clock.now - promotedAt
    let before = desk.now.sent.count
    try wait("it does not go on") { $0.sent.count >= before + 300 }
    desk.end()
    var count = 0
    while count < 4 { count += ended.receive(atMost: .seconds(60)).count }
    let (asked, refusals) = (desk.now.open, desk.now.refusals)

    // What was not answered is asked again, under its own key.
    let client = try TestClient(port: port)
    for key in asked {
      let reply = try Self.send(key, client, apiKey)
      #expect(reply.status == 202, "\(reply.text)")
      if let seqno = reply.string("seqno") { desk.sent(key, as: seqno) }
    }
    let told = desk.now
    try Self.finish(connection, told.sent.count)
    print(
      "failover: promoted \((promotedAt - killedAt).milliseconds) ms after the kill, served again within "
        + "\(away.milliseconds) ms of the promotion; \(told.sent.count) sends and \(told.registered.count) registrations "
        + "answered, \(refusals) told to try again, \(asked.count) of them sends asked again")
    #expect(away < .seconds(10))
    try Self.verify(connection, told, simulator)
  }

  // MARK: The clients

  private static func work(
    _ worker: Int, _ port: UInt16, _ clientKey: String, _ apiKey: String, _ desk: Desk
  ) {
    guard let client = try? TestClient(port: port), let pause = try? Wakeup() else { return }
    for turn in 0... {
      if desk.now.isOver { return }
      let name = "\(worker)-\(turn)"
      let token = Self.token(worker, turn)
      let body = """
        {"appId":"\(World.appID)","pnsId":"APNS","environment":"production","psid":"\(token)","deviceId":"d\(name)",
        "clientUid":"u\(name)","clientName":"N"}
        """
      let registered = try? client.call("POST", "/v1/devices", bearer: clientKey, body)
      let isRegistered = registered.map { [200, 201].contains($0.status) } ?? false
      if isRegistered { desk.registered("d\(name)") } else { desk.refused(nil) }
      let sent = try? Self.send(name, client, apiKey)
      if sent?.status == 202, let seqno = sent?.string("seqno") {
        desk.sent(name, as: seqno)
      } else {
        desk.refused(name)
        // As a client does that was told to come again in a moment.
        _ = pause.wait(atMost: .milliseconds(50))
      }
    }
  }

  private static func token(_ worker: Int, _ turn: Int) -> String {
    let digits = String(worker * 1_000_000 + turn, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  private static func send(_ key: String, _ client: TestClient, _ apiKey: String) throws -> Reply {
    try client.call(
      "POST", "/v1/admin/messages", bearer: apiKey, idempotencyKey: key,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["u\#(key)"]},"alert":"B","badge":{"increment":1}}"#)
  }

  // MARK: The verdict

  private static func finish(_ connection: Connection, _ messages: Int) throws {
    let pause = try Wakeup()
    for _ in 0..<3000 {
      if let open = try? number("SELECT count(*) FROM messages WHERE state < 4", connection), open == 0 { return }
      _ = pause.wait(atMost: .milliseconds(20))
    }
    Issue.record("\(messages) messages have not ended")
  }

  private static func verify(_ connection: Connection, _ told: Book, _ simulator: Simulator) throws {
    let stored = try connection.run(
      Statement("failover-messages", "SELECT idempotency_key, seqno FROM messages ORDER BY seqno"))
    var known: [String: String] = [:]
    for row in 0..<stored.count {
      let key = stored.text(row, 0)
      #expect(known[key] == nil, "\(key) became two messages")
      known[key] = "\(stored.int64(row, 1))"
    }
    #expect(told.sent.allSatisfy { known[$0.key] == $0.value }, "an answered send is not there")
    let devices = try connection.run(Statement("failover-devices", "SELECT device_id FROM devices"))
    let there = Set((0..<devices.count).map { devices.text($0, 0) })
    #expect(told.registered.isSubset(of: there), "an answered registration is not there")
    #expect(
      try number(
        """
        SELECT count(*) FROM messages m LEFT JOIN (
          SELECT seqno, sum(accepted + rejected + expired + cancelled + skipped) AS decided
          FROM message_totals GROUP BY seqno) t USING (seqno)
        WHERE m.targeted IS DISTINCT FROM coalesce(t.decided, 0)
        """, connection) == 0, "targeted is not what was decided")
    #expect(try number("SELECT count(*) FROM claims", connection) == 0)
    for question in Invariants.all { #expect(try connection.run(question.broken) == 0, "\(question.promise)") }
    #expect(try number("SELECT count(*) FROM users WHERE badge > 1", connection) == 0, "a badge moved twice")
    // Each delivery that counts as accepted reached the network, and once, but for those counted as resent.
    let accepted = try number("SELECT sum(accepted)::bigint FROM message_totals", connection)
    let resent = try number("SELECT sum(resent)::bigint FROM message_totals", connection)
    let received = Int64(simulator.counters().accepted)
    #expect(received >= accepted && received <= accepted + resent, "\(received) received, \(accepted) + \(resent)")
  }

  private static func number(_ sql: String, _ connection: Connection) throws -> Int64 {
    try connection.run(Statement("failover-\(sql.hashValue)", sql)).int64(0, 0)
  }

  private static func freePort() throws -> Int {
    let socket = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    return Int(try #require(socket.localAddress?.port))
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
