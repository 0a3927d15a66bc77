import Operations
import Postgres
import Reactor
import Server
import Simulator
import Store
import TestSupport
import TestTier
import Testing
import Time

/// The database's machine is gone in the middle of the work, and its synchronous standby is promoted: nothing that was
/// answered is lost, nothing is there twice, and the same server goes on by itself.
@Suite(.slow, .serialized) struct FailoverTests {
  @Test func `a killed primary loses nothing that was answered, and the promoted standby serves within ten seconds`()
    throws
  {
    let pair = ReplicatedPair(ports: [Int(try LastingPort.find()), Int(try LastingPort.find())])
    defer { pair.remove() }
    try TestDatabase.connect(to: pair.url(database: "postgres")).script("CREATE DATABASE upmc")
    let url = pair.url(database: "upmc")
    let connection = try TestDatabase.connect(to: url)
    try Migrator(directory: TestDatabase.migrationsDirectory).migrate(connection)
    let node = try NodeElsewhere(url, connection)
    defer { node.stop() }

    let port = node.server.address.port
    let work = try SteadyWork(on: [port], clientKey: node.clientKey, apiKey: node.apiKey)
    try work.wait("there is no work") { $0.sent.count >= 300 }
    let clock = SystemClock()
    let killedAt = clock.now
    pair.killPrimary()
    pair.promoteStandby()
    let promotedAt = clock.now
    // A clock that stands when the machine does: of two looks, which are 20 ms apart, no more than 40 ms count.
    var (away, last) = (Duration.zero, promotedAt)
    try work.wait("it does not serve again") {
      let now = clock.now
      away += min(now - last, .milliseconds(40))
      last = now
      return ($0.lastAnswerAt ?? killedAt) > promotedAt
    }
    let before = work.now.sent.count
    try work.wait("it does not go on") { $0.sent.count >= before + 300 }
    try work.end(port)
    try work.waitForMessages(connection)
    let told = work.now
    print(
      "failover: promoted \((promotedAt - killedAt).milliseconds) ms after the kill, served again within "
        + "\(away.milliseconds) ms of the promotion; \(told.sent.count) sends and \(told.registered.count) registrations "
        + "answered, \(told.refusals) told to try again, \(told.open.count) of them sends asked again")
    #expect(away < .seconds(10 * Sanitizers.slowness))
    #expect(told.errors.isEmpty, "\(told.errors.prefix(3))")
    try work.verify(connection, node.simulator)
  }

  @Test func `a standby that lags gives no number again, and what is sent after its promotion is seen`() throws {
    let pair = ReplicatedPair(ports: [Int(try LastingPort.find()), Int(try LastingPort.find())])
    defer { pair.remove() }
    try TestDatabase.connect(to: pair.url(database: "postgres")).script("CREATE DATABASE upmc")
    let url = pair.url(database: "upmc")
    let connection = try TestDatabase.connect(to: url)
    try Migrator(directory: TestDatabase.migrationsDirectory).migrate(connection)
    let node = try NodeElsewhere(url, connection)
    defer { node.stop() }
    let client = try TestClient(port: node.server.address.port)
    func send(_ more: String = "") throws -> Int64 {
      var last = ""
      return try poll("nothing is taken: \(last)", every: .milliseconds(100)) {
        let reply = try client.call(
          "POST", "/v1/admin/messages", bearer: node.apiKey,
          #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"x"\#(more)}"#)
        last = reply.text
        return reply.status == 202 ? Int64(try #require(reply.string("seqno"))) : nil
      }
    }
    let tomorrow = #","sendAt":"\#((SystemClock().wallTime + .seconds(86_400)).description)""#
    let token = World.token("a1")
    let registration =
      #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(token)","deviceId":"d","#
      + #""clientUid":"kim"}"#
    #expect(try client.call("POST", "/v1/devices", bearer: node.clientKey, registration).status == 201)
    _ = try send()
    pair.stopReplication()
    // Only the first server knows of these.
    var given: Set<Int64> = []
    for _ in 0..<70 { given.insert(try send()) }
    given.insert(try send(tomorrow))
    pair.killPrimary()
    pair.promoteStandby()
    let first = try send()
    // By the other way into the queue too.
    let second = try send(tomorrow)
    let highest = try #require(given.max())
    #expect(first > highest + 100_000 && second > first, "\(first) \(second) after \(highest)")
    let looks = Statement("test-timeline", "SELECT upto_seqno - from_seqno FROM seqno_timeline WHERE timeline = 2")
    #expect(try TestDatabase.connect(to: url).run(looks).int64(0, 0) == 500_000)
    _ = try poll("it was not sent") {
      let isShown = node.simulator.shown(on: token).contains {
        String(decoding: $0.payload ?? [], as: UTF8.self).contains("\"seqno\":\"\(first)\"")
      }
      return isShown ? true : nil
    }
  }
}
