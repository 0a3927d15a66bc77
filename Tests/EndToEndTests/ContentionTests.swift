import Foundation
import Postgres
import Reactor
import Server
import Simulator
import TestTier
import TestSupport
import Testing

/// Many who want the same rows at once: nobody waits for ever, nothing is done twice.
@Suite(.slow, .serialized) struct ContentionTests {
  /// Calls again while the answer is to come again: whoever holds the rows may stand still for seconds.
  private static func done(_ call: () throws -> Reply) throws -> Reply {
    try poll("told to come again, for ever") {
      let reply = try call()
      return reply.status == 503 ? nil : reply
    }
  }

  @Test func `two clients that register one token for different users leave one owner, a thousand times`() throws {
    let world = try World()
    let second = try world.startNode()
    defer { second.stop() }
    let token = World.token("c3")
    let ports = [world.server.address.port, second.address.port]
    let users = ["kim", "lee"]
    let finished = try Inbox<String>(capacity: 2)
    // Tells each thread that the test has looked often enough while it registered.
    let enough = [try Inbox<Bool>(capacity: 1), try Inbox<Bool>(capacity: 1)]
    for (index, (port, user)) in zip(ports, users).enumerated() {
      let (clientKey, told) = (world.clientKey, enough[index])
      _ = try Thread(name: "registers") {
        let body =
          #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(token)","#
          + #""deviceId":"of-\#(user)","clientUid":"\#(user)","clientName":"\#(user)"}"#
        var failures = ""
        do {
          let client = try TestClient(port: port)
          var (rounds, isEnough) = (0, false)
          while rounds < 1000 || !isEnough {
            let reply = try Self.done { try client.call("POST", "/v1/devices", bearer: clientKey, body) }
            if reply.status >= 300 { failures += "\(reply.status) \(reply.text) " }
            rounds += 1
            if !isEnough { isEnough = !told.takeAll().isEmpty }
          }
        } catch {
          failures += "\(error)"
        }
        _ = finished.offer(failures)
      }
    }
    // In one snapshot: active devices with the token, and whether the one is its owner.
    let look = Statement(
      "test-owners",
      """
      SELECT (SELECT count(*) FROM devices WHERE psid = '\(token)' AND state = 1),
        (SELECT count(*) FROM psids p JOIN devices d USING (device) WHERE p.psid = '\(token)' AND d.state = 1)
      """)
    var ended: [String] = []
    var looks = 0
    _ = try poll("not both clients have ended", every: .milliseconds(5)) { () -> Bool? in
      ended += finished.takeAll()
      let rows = try world.connection.run(look)
      #expect(rows.int64(0, 0) <= 1 && rows.int64(0, 0) == rows.int64(0, 1))
      looks += 1
      if looks == 11 { for inbox in enough { _ = inbox.offer(true) } }
      return ended.count == 2 ? true : nil
    }
    #expect(ended == ["", ""])
    #expect(looks > 10)
    let seqno = try world.send(#"{"clientUids":["kim","lee"]}"#)
    #expect(try world.finished(seqno).int("targeted") == 1)
  }

  @Test func `campaigns and single sends with badges over the same users that read never deadlock`() throws {
    let seconds = ProcessInfo.processInfo.environment["UPMC_CONTENTION_SECONDS"].flatMap { Int($0) } ?? 2
    let world = try World()
    let second = try world.startNode()
    let users = 1_000
    var plan = VirtualDevices.Plan(
      count: users, server: "http://127.0.0.1:\(world.server.address.port)", appID: World.appID,
      clientKey: world.clientKey, users: users)
    plan.readProbability = 1
    try world.simulator.startDevices(plan)
    _ = try poll("the devices are not registered") {
      (world.simulator.deviceCounters?.registered ?? 0) >= users ? true : nil
    }
    let other = try TestClient(port: second.address.port)
    let clock = SystemClock()
    let deadline = clock.now + .seconds(seconds)
    var seqnos: [String] = []
    while clock.now < deadline {
      seqnos.append(try world.send(#"{"all":true}"#, #","badge":{"increment":1},"lane":"bulk""#))
      for _ in 0..<40 {
        let names = (0..<50).map { _ in "\"user\(Int.random(in: 1...users))\"" }.joined(separator: ",")
        let body =
          #"{"appId":"\#(World.appID)","audience":{"clientUids":[\#(names)]},"alert":"B","badge":{"increment":1}}"#
        let reply = try Self.done { try other.call("POST", "/v1/admin/messages", bearer: world.apiKey, body) }
        #expect(reply.status == 202, "\(reply.text)")
      }
    }
    for seqno in seqnos { #expect(try world.finished(seqno).int("accepted") == users) }
    second.stop()
    world.server.stop()
    // Sessions tell their deadlocks when they end, at the latest.
    let deadlocks = try world.connection.run(
      Statement("test-deadlocks", "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
    #expect(deadlocks.int64(0, 0) == 0)
  }

  @Test func `two devices that exchange their tokens on two nodes never deadlock`() throws {
    let world = try World()
    let second = try world.startNode()
    let tokens = [World.token("c4"), World.token("d5")]
    let ports = [world.server.address.port, second.address.port]
    let finished = try Inbox<String>(capacity: 2)
    for (index, port) in ports.enumerated() {
      let clientKey = world.clientKey
      _ = try Thread(name: "exchanges") {
        var failures = ""
        do {
          let client = try TestClient(port: port)
          for round in 0..<400 {
            let body =
              #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","#
              + #""psid":"\#(tokens[(round + index) % 2])","deviceId":"device-\#(index)"}"#
            let reply = try Self.done { try client.call("POST", "/v1/devices", bearer: clientKey, body) }
            if reply.status >= 300 { failures += "\(reply.status) \(reply.text) " }
          }
        } catch {
          failures += "\(error)"
        }
        _ = finished.offer(failures)
      }
    }
    #expect(try finished.receive(2, or: "not both devices have ended") == ["", ""])
    // Whoever came last has it; nobody has two, and no token has two owners.
    let wrong = Statement(
      "test-exchanged",
      """
      SELECT (SELECT count(*) FROM psids p JOIN devices d USING (device) WHERE d.psid <> p.psid OR d.state <> 1)
        + (SELECT count(*) FROM devices d WHERE state = 1
           AND NOT EXISTS (SELECT FROM psids p WHERE p.psid = d.psid AND p.device = d.device))
      """)
    #expect(try world.connection.run(wrong).int64(0, 0) == 0)
    second.stop()
    world.server.stop()
    let deadlocks = try world.connection.run(
      Statement("test-deadlocks", "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
    #expect(deadlocks.int64(0, 0) == 0)
  }
}
