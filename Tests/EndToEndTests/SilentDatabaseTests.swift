import Foundation
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// A database that is there and does not answer: nobody waits without end, and nobody is told what is not known.
@Suite(.slow, .serialized) struct SilentDatabaseTests {
  /// A world whose server gives up when those of customers do.
  private static func world(through proxy: DatabaseProxy? = nil) throws -> World {
    try World(through: proxy, server: { $0.benchmarkOverrides.commitTimeout = nil })
  }

  private func code(_ world: World, key: String? = nil) throws -> Reply {
    try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey, idempotencyKey: key,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"1234","lane":"urgent"}"#)
  }

  @Test func `while a table is locked callers are told to come again, and that nothing was carried out`() throws {
    let world = try Self.world()
    try world.register("d1", token: World.token("a1"), user: "kim")
    let other = try world.database.connect()
    try other.script("BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
    // Both need it: their locks are asked for in vain.
    let refused = try world.register("d2", token: World.token("b2"), user: "lee")
    #expect(refused.status == 503 && refused.string("type") == "upmc:database-away", "\(refused.text)")
    try other.script("COMMIT")
    #expect(try world.number("SELECT count(*) FROM devices") == 1)
    #expect(try world.register("d2", token: World.token("b2"), user: "lee").status == 201)
  }

  @Test func `one that a lock keeps waiting keeps nobody else waiting`() throws {
    let world = try Self.world()
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.register("d2", token: World.token("b2"), user: "lee")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try world.finished(seqno)
    let other = try world.database.connect()
    try other.script("BEGIN; SELECT FROM devices WHERE device_id = 'd2' FOR UPDATE")
    let (port, key) = (world.server.address.port, world.clientKey)
    let body =
      #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(World.token("b2"))","#
      + #""deviceId":"d2"}"#
    // The blocked request waits for half a second. If the machine stalls for longer, start again.
    var attempts = 0
    _ = try poll("nobody gets through before the blocked one is answered") { () -> Bool? in
      attempts += 1
      let blocked = try Inbox<Int>(capacity: 1)
      _ = try Thread(name: "blocked") {
        let reply = try? TestClient(port: port).call("POST", "/v1/devices", bearer: key, body)
        _ = blocked.offer(reply?.status ?? 0)
      }
      var early: [Int] = []
      while early.isEmpty, try world.number("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0 {
        early = blocked.receive(atMost: .milliseconds(1))
      }
      #expect(try world.receipt(seqno, World.token("a1")).status == 200)
      let (name, token) = ("other \(attempts)", World.token(number: 100 + attempts))
      #expect(try world.register(name, token: token, user: "park").status == 201)
      early += blocked.receive(atMost: .zero)
      let answer = early.isEmpty ? blocked.receive(atMost: .patience) : early
      #expect(answer == [503])
      return early.isEmpty ? true : nil
    }
    try other.script("COMMIT")
  }

  @Test func `where the answer of a commit is outstanding that is what is said, and a repeated send is one message`()
    throws
  {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try Self.world(through: proxy)
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.waitForLease()
    _ = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    // The commit arrives and its answer never does, as when the disk stands.
    proxy.fallSilent(after: "messages-create-numbered", then: "claims-create-several", " commit ")
    let first = try code(world, key: "otp-1")
    #expect(first.status == 503 && first.string("type") == "upmc:outcome-unknown", "\(first.text)")
    #expect(first.string("detail")?.contains("Idempotency-Key") == true)
    _ = try poll("it says that it is ready") {
      try world.client.call("GET", "/ready").status == 503 ? true : nil
    }
    proxy.cut()
    let second = try poll("it does not recover") {
      let reply = try code(world, key: "otp-1")
      return reply.status == 202 ? reply : nil
    }
    let seqno = try #require(second.string("seqno"))
    #expect(try world.finished(seqno).int("accepted") == 1)
    #expect(try world.number("SELECT count(*) FROM messages") == 2)
    #expect(try world.payloads(World.token("a1")).count == 2)
  }

  @Test func `campaigns and what people ask are answered in bounded time while the database is silent`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try Self.world(through: proxy)
    try world.register("d1", token: World.token("a1"), user: "kim")
    _ = try world.finished(try world.send(#"{"all":true}"#))
    proxy.fallSilent()
    let (port, apiKey) = (world.server.address.port, world.apiKey)
    let calls = [
      ("GET", "/v1/admin/messages?appId=\(World.appID)", ""), ("GET", "/v1/admin/apps", ""),
      (
        "POST", "/v1/admin/messages",
        #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"x","pace":{"perSecond":5}}"#
      ),
    ]
    let answers = try Inbox<String>(capacity: 8)
    for (method, path, body) in calls {
      _ = try Thread(name: "asks") {
        let reply = try? TestClient(port: port).call(method, path, bearer: apiKey, body.isEmpty ? nil : body)
        _ = answers.offer("\(reply?.status ?? 0) \(reply?.string("type") ?? "")")
      }
    }
    var told: [String] = []
    let clock = SystemClock()
    let end = clock.now + .seconds(30 * Sanitizers.slowness)
    while told.count < calls.count, clock.now < end { told += answers.receive(atMost: .seconds(1)) }
    #expect(told == Array(repeating: "503 upmc:database-away", count: calls.count), "\(told)")
    proxy.cut()
    let reply = try poll("it does not recover") {
      let reply = try world.client.call("GET", "/v1/admin/apps", bearer: world.apiKey)
      return reply.status == 200 ? reply : nil
    }
    #expect(reply.text.contains(World.appID))
    // Threads that only look find their way back too.
    _ = try world.finished(try world.send(#"{"all":true}"#))
    #expect(try world.number("SELECT count(*) FROM messages") == 2)
  }

  @Test func `before its commit a silent database is given up, and nothing was carried out`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try Self.world(through: proxy)
    try world.register("d1", token: World.token("a1"), user: "kim")
    // From now on the node takes sends itself.
    try world.waitForLease()
    _ = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    proxy.fallSilent(after: "named-sends-members")
    let first = try code(world, key: "otp-1")
    #expect(first.status == 503 && first.string("type") == "upmc:database-away", "\(first.text)")
    proxy.cut()
    let second = try poll("it does not recover") {
      let reply = try code(world, key: "otp-1")
      return reply.status == 202 ? reply : nil
    }
    #expect(try world.finished(try #require(second.string("seqno"))).int("accepted") == 1)
    #expect(try world.number("SELECT count(*) FROM messages") == 2)
  }
}
