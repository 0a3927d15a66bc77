import Foundation
import Reactor
import Simulator
import Store
import TestTier
import TestSupport
import Testing

/// Token hygiene as a user meets it: a server, a database, and the simulator answering as Apple does.
@Suite(.slow, .serialized) struct HygieneTests {
  private static let one = World.token("a1")
  private static let two = World.token("b2")

  /// Tokens that differ in their last digits.
  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "c", count: 64 - digits.count) + digits
  }

  private func quarantine(_ world: World) throws -> [[String: Any]] {
    let reply = try world.client.call("GET", "/v1/admin/quarantine?appId=\(World.appID)", bearer: world.apiKey)
    #expect(reply.status == 200, "\(reply.text)")
    return try #require(reply["items"] as? [[String: Any]])
  }

  private func pausedReason(_ world: World) throws -> String? {
    try world.connection.run(AppPauses.reason(of: 1))
  }

  @Test func `a device registered for the wrong environment gets its push, and is remembered rightly`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    world.simulator.register(token: Self.one, environment: .sandbox)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    #expect(try world.payloads(Self.one).count == 1)
    let requests = world.simulator.counters().requests
    // The app still says production; what Apple said counts.
    #expect(try world.register("d1", token: Self.one, user: "kim").status == 200)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    #expect(world.simulator.counters().requests == requests + 1, "asked once only")
  }

  @Test func `a token that is bad everywhere is put aside, skipped, and given back`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    try world.register("d2", token: Self.two, user: "lee")
    var fault = Fault(.answer)
    fault.reason = "BadDeviceToken"
    fault.tokenPrefix = "a1a1"
    try world.simulator.add(fault)
    let first = try world.finished(try world.send(#"{"all":true}"#))
    #expect(first.int("accepted") == 1 && first.int("rejected") == 1)
    #expect((first["reasons"] as? [String: Int]) == ["BadDeviceToken": 1])
    let aside = try #require(try quarantine(world).first)
    #expect(aside["clientUid"] as? String == "kim" && aside["psidPrefix"] as? String == "a1a1a1a1")

    let second = try world.finished(try world.send(#"{"all":true}"#))
    #expect(second.int("accepted") == 1 && second.int("skipped") == 1)
    #expect((second["reasons"] as? [String: Int]) == ["quarantine": 1])

    world.simulator.removeFaults()
    let device = try #require(aside["device"] as? String)
    let restored = try world.client.call(
      "POST", "/v1/admin/quarantine/restore", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","device":"\#(device)"}"#)
    #expect(restored.int("restored") == 1, "\(restored.text)")
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    #expect(try world.payloads(Self.one).count == 1)
  }

  @Test func `registering again ends the quarantine`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    var fault = Fault(.answer)
    fault.reason = "DeviceTokenNotForTopic"
    try world.simulator.add(fault)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("rejected") == 1)
    #expect(try quarantine(world).count == 1)
    world.simulator.removeFaults()
    try world.register("d1", token: Self.one, user: "kim")
    #expect(try quarantine(world).isEmpty)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
  }

  @Test func `a 410 that is older than the registration drops nothing`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    let hourAgo = Int64(Date().timeIntervalSince1970 * 1000) - 3_600_000
    world.simulator.register(token: Self.one, state: .unregistered(since: hourAgo))
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("rejected") == 1)
    #expect(try quarantine(world).isEmpty)
    world.simulator.register(token: Self.one)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
  }

  @Test func `a flood of refused tokens pauses the app, deletes nothing, and everyone gets it after the repair`() throws
  {
    let world = try World()
    let count = 150
    for number in 0..<count { try world.register("d\(number)", token: Self.token(number), user: "u\(number)") }
    var fault = Fault(.answer)
    fault.reason = "BadDeviceToken"
    try world.simulator.add(fault)
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    let reason = try poll("the app was not paused") { try pausedReason(world) }
    #expect(reason.contains("BadDeviceToken") && reason.contains("upmc app resume \(World.appID)"), "\(reason)")
    #expect(try quarantine(world).isEmpty)
    #expect(try world.funnel(seqno).int("rejected") == 0)
    #expect(try world.funnel(seqno).int("pending") == count)

    world.simulator.removeFaults()
    let resumed = try world.client.call(
      "POST", "/v1/admin/apps/\(World.appID)/resume", bearer: world.apiKey, "")
    #expect(resumed.status == 200, "\(resumed.text)")
    let ended = try world.finished(seqno)
    #expect(ended.int("accepted") == count && (ended["reasons"] as? [String: Int]) == [:])
    #expect(try world.badges(Self.token(7)) == [1])
    #expect(try world.finished(try world.send(#"{"all":true}"#)).int("accepted") == count)
  }

  @Test func `a device that gets too much is left alone, with everything for it, and nobody else waits`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    try world.register("d2", token: Self.two, user: "lee")
    var fault = Fault(.answer)
    fault.reason = "TooManyRequests"
    fault.tokenPrefix = "a1a1"
    try world.simulator.add(fault)
    let clock = SystemClock()
    let began = clock.now
    let first = try world.send(#"{"all":true}"#)
    // The node knows that the device is busy when only this delivery waits for its next try.
    _ = try poll("the device was not called busy", every: .milliseconds(20)) { () -> Bool? in
      guard world.simulator.counters().rejected["TooManyRequests"] != nil,
        try world.funnel(first).int("accepted") == 1
      else { return nil }
      let metrics = try world.client.call("GET", "/metrics", bearer: world.apiKey).text
      return metrics.contains("upmc_retries_waiting 1\n") ? true : nil
    }
    let second = try world.send(#"{"all":true}"#)
    _ = try poll("the other device has not got both") { try world.payloads(Self.two).count == 2 ? true : nil }
    #expect(try world.payloads(Self.one).isEmpty)
    // Asked once, and then not before two seconds are over: for both messages, and the longer the later.
    let refused = world.simulator.counters().rejected["TooManyRequests"] ?? 0
    let pauses = (clock.now - began).nanoseconds / 2_000_000_000
    #expect((1...1 + 2 * Int(pauses)).contains(refused), "\(refused) times within \(pauses) pauses")
    world.simulator.removeFaults()
    #expect(try world.finished(first).int("accepted") == 2)
    #expect(try world.finished(second).int("accepted") == 2)
    #expect(try world.payloads(Self.one).count == 2)
  }

  @Test func `a refused credential pauses the app, and a new one lets it go on by itself`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    var fault = Fault(.answer)
    fault.reason = "InvalidProviderToken"
    try world.simulator.add(fault)
    let seqno = try world.send(#"{"clientUids":["kim"]}"#)
    #expect(try poll("the app was not paused") { try pausedReason(world) } == "InvalidProviderToken")
    #expect(try world.funnel(seqno).int("pending") == 1)
    world.simulator.removeFaults()
    try world.replaceCredential()
    #expect(try world.finished(seqno).int("accepted") == 1)
    #expect(try pausedReason(world) == nil)
  }
}
