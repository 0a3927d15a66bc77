import Domain
import Foundation
import Postgres
import Reactor
import Simulator
import Store
import TestTier
import TestSupport
import Testing

@testable import Server

/// Broadcast channels, from the admin API to the activities that follow them.
@Suite(.slow, .serialized) struct ChannelTests {
  private let world: World

  init() throws {
    world = try World { $0.rules.checksPayload = true }
  }

  private static let path = "/v1/admin/apps/\(World.appID)/channels"

  private func create(_ body: String) throws -> Reply {
    try world.client.call("POST", Self.path, bearer: world.apiKey, body)
  }

  private func publish(
    _ channel: String, _ body: String, key: String? = nil
  ) throws -> Reply {
    try world.client.call(
      "POST", "\(Self.path)/\(channel)/updates", bearer: world.apiKey, idempotencyKey: key, body)
  }

  private static func update(_ number: Int, timestamp: Int? = nil) -> String {
    #"{"liveActivity":{"event":"update","timestamp":\#(timestamp ?? number),"contentState":{"n":\#(number)}}}"#
  }

  private func channel(_ id: String) throws -> Reply {
    try world.client.call("GET", "\(Self.path)/\(id)", bearer: world.apiKey)
  }

  private func published(_ id: String) throws -> Reply {
    try poll("the update was not published") {
      let now = try channel(id)
      return now["isWaiting"] as? Bool == false ? now : nil
    }
  }

  @Test func `a channel is made at Apple, listed, and deleted there too`() throws {
    let made = try create(#"{"name":"match-7","storage":"latest"}"#)
    #expect(made.status == 201, "\(made.text)")
    let id = try #require(made.string("channelId"))
    let apple = try #require(made.string("apnsChannelId"))
    #expect(world.simulator.channel(apple)?.storagePolicy == 1)
    #expect(world.simulator.channel(apple)?.bundle == World.appID)
    #expect(try create(#"{"name":"match-7"}"#).status == 409)
    #expect(try create(#"{"name":"match-7","environment":"sandbox"}"#).status == 201)
    #expect(try create(#"{"name":"x","storage":"all"}"#).status == 400)
    let list = try world.client.call("GET", "\(Self.path)?environment=production", bearer: world.apiKey)
    #expect((list["items"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["match-7"], "\(list.text)")
    let atApple = try world.client.call(
      "GET", "\(Self.path)-at-apple?environment=production", bearer: world.apiKey)
    #expect((atApple["items"] as? [[String: Any]])?.first?["channelId"] as? String == id, "\(atApple.text)")
    #expect(try world.client.call("DELETE", "\(Self.path)/\(id)", bearer: world.apiKey).status == 204)
    #expect(world.simulator.channel(apple) == nil)
    #expect(try channel(id).string("type") == "upmc:unknown-channel")
    let audit = try world.client.call("GET", "/v1/admin/audit", bearer: world.apiKey)
    let actions = (audit["items"] as? [[String: Any]])?.compactMap { $0["action"] as? String } ?? []
    #expect(actions.filter { $0.hasPrefix("channel.") } == ["channel.delete", "channel.create", "channel.create"])
  }

  @Test func `a channel that only Apple knows is adopted, and one that is gone there is deleted here`() throws {
    let made = try create(#"{"name":"first","storage":"latest"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    try world.connection.script("DELETE FROM channels")
    #expect(try create(#"{"name":"again","apnsChannelId":"\#(apple)","storage":"none"}"#).status == 422)
    let adopted = try create(#"{"name":"again","apnsChannelId":"\#(apple)"}"#)
    #expect(adopted.status == 201 && adopted.string("storage") == "latest", "\(adopted.text)")
    #expect(try create(#"{"name":"twice","apnsChannelId":"\#(apple)"}"#).status == 409)
    #expect(try create(#"{"name":"none","apnsChannelId":"AAAAAAAAAAAAAAAAAAAAAA=="}"#).status == 422)
    let number = try #require(adopted.string("channelId"))
    #expect(number != id)
    world.simulator.ask { service in
      _ = service.simulated.knowledge.channels.delete(apple, .production, World.appID)
    }
    #expect(try world.client.call("DELETE", "\(Self.path)/\(number)", bearer: world.apiKey).status == 204)
  }

  @Test func `a credential that is missing is not the network's fault, and the answer says what to do`() throws {
    let id = try #require(try create(#"{"name":"match-7"}"#).string("channelId"))
    try world.connection.script("DELETE FROM credentials")
    for reply in [
      try create(#"{"name":"match-8"}"#), try world.client.call("DELETE", "\(Self.path)/\(id)", bearer: world.apiKey),
      try world.client.call("GET", "\(Self.path)-at-apple?environment=production", bearer: world.apiKey),
    ] {
      #expect(reply.status == 422 && reply.string("type") == "upmc:not-configured", "\(reply.text)")
      #expect(reply.string("detail")?.contains("upmc app credential \(World.appID)") == true)
    }
    #expect(try channel(id).status == 200)
  }

  @Test func `what a channel cannot carry is refused, and changes nothing`() throws {
    let id = try #require(try create(#"{"name":"match-7"}"#).string("channelId"))
    let start =
      #"{"liveActivity":{"event":"start","timestamp":1,"contentState":{},"attributesType":"T","attributes":{}}}"#
    let long = String(repeating: "x", count: 5_200)
    for (body, status) in [
      ("{}", 400), (start, 422), (#"{"liveActivity":{"event":"update","timestamp":1}}"#, 422),
      (#"{"liveActivity":{"event":"end","timestamp":1,"activityId":"a"}}"#, 422),
      (#"{"liveActivity":{"event":"end","timestamp":1},"priority":1}"#, 400),
      (#"{"liveActivity":{"event":"end","timestamp":1},"expiresIn":"P1D"}"#, 400),
      (#"{"liveActivity":{"event":"end","timestamp":1},"sound":"a.caf"}"#, 422),
      (#"{"liveActivity":{"event":"update","timestamp":1,"contentState":{"t":"\#(long)"}}}"#, 422),
    ] {
      #expect(try publish(id, body).status == status, "\(body.prefix(80))")
    }
    #expect(try channel(id).int("version") == 0)
    #expect(try publish("999", Self.update(1)).status == 404)
  }

  @Test func `of what comes faster than the pace the latest wins, and an old state never comes after a new one`() throws
  {
    let made = try create(#"{"name":"match-7","storage":"latest"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    world.simulator.follow(apple, count: 1_000)
    let (clock, began) = (SystemClock(), SystemClock().now)
    for number in 1...30 {
      let reply = try publish(id, Self.update(number), key: "u\(number)")
      #expect(reply.status == 202 && reply.string("state") == "queued", "\(reply.text)")
    }
    #expect(try publish(id, Self.update(99, timestamp: 7)).string("state") == "superseded")
    // A repetition is answered as before and publishes nothing.
    let repeated = try publish(id, Self.update(30), key: "u30")
    #expect(repeated.int("version") == 30 && repeated.string("state") == "queued")
    #expect(try publish(id, Self.update(31), key: "u30").string("type") == "upmc:idempotency-conflict")
    let after = try published(id)
    #expect(after.int("version") == 30 && after["word"] is NSNull, "\(after.text)")
    let report = try #require(world.simulator.channel(apple))
    #expect(report.latest?.contains(#""content-state":{"n":30}"#) == true, "\(report)")
    #expect(report.upToDate == 1_000 && report.throttled == 0)
    // One a second: all of them only where a busy machine takes that long for each.
    let seconds = Int((clock.now - began).nanoseconds / 1_000_000_000)
    #expect(report.updates < max(30, seconds + 2), "\(report.updates) in \(seconds) s")
    #expect(world.simulator.counters().rejected["TooManyRequests"] == nil)
  }

  @Test func `an activity that a message starts follows the channel and gets what is published`() throws {
    let made = try create(#"{"name":"match-7"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    let device = try world.register("d1", token: World.token("a1"), user: "kim")
    let starter = World.token("b1")
    #expect(
      try world.client.call(
        "PUT", "/v1/devices/\(device.string("device") ?? "")/tokens/live-activity-start",
        bearer: device.string("authKey"), #"{"psid":"\#(starter)"}"#
      ).status == 204)
    let sent = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      """
      {"appId":"\(World.appID)","audience":{"clientUids":["kim"]},"alert":{"title":"Kick-off","body":"0 : 0"},
       "liveActivity":{"event":"start","timestamp":1,"contentState":{"n":0},"attributesType":"Match","attributes":{},
         "inputPushChannel":"\(apple)"}}
      """)
    #expect(try world.finished(try #require(sent.string("seqno"))).int("accepted") == 1)
    #expect(world.simulator.channel(apple)?.followers == 1)
    #expect(try publish(id, Self.update(2)).status == 202)
    _ = try published(id)
    #expect(world.simulator.channel(apple)?.upToDate == 1)
  }

  @Test func `an update that Apple refuses is over, and says why`() throws {
    let made = try create(#"{"name":"match-7"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    world.simulator.ask { service in
      _ = service.simulated.knowledge.channels.delete(apple, .production, World.appID)
    }
    #expect(try publish(id, Self.update(1)).status == 202)
    let after = try published(id)
    #expect(after.string("word") == "ChannelNotRegistered" && after["publishedAt"] is NSNull, "\(after.text)")
  }

  @Test func `what was answered is published by another node when the one that took it has died`() throws {
    let made = try create(#"{"name":"match-7"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    world.server.stop()
    // As a node leaves it that was killed between taking an update and Apple's answer.
    try world.connection.script(
      """
      UPDATE channels SET version = 5, event_time = 5, expires_at = now() + interval '1 hour',
        payload = '{"aps":{"timestamp":5,"event":"update","content-state":{"n":5}}}'
      """)
    #expect(try world.connection.run(ChannelUpdates.take(atMost: 10, for: 2)).map(\.version) == [5])
    let node = try world.startNode()
    defer { node.stop() }
    // Twice where the first answer took longer than the lease.
    let report = try poll("the update was lost") {
      world.simulator.channel(apple).flatMap { $0.updates >= 1 ? $0 : nil }
    }
    #expect(report.latest?.contains(#""n":5"#) == true)
    #expect(id == "1")
  }

  @Test func `two nodes publish on one channel as one: at the pace, and the latest wins`() throws {
    let made = try create(#"{"name":"match-7","storage":"latest"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    let node = try world.startNode()
    defer { node.stop() }
    let clients = [world.client, try TestClient(port: node.address.port)]
    for number in 1...40 {
      let reply = try clients[number % 2].call(
        "POST", "\(Self.path)/\(id)/updates", bearer: world.apiKey, Self.update(number))
      #expect(reply.status == 202, "\(reply.text)")
    }
    #expect(try published(id).int("version") == 40)
    let report = try #require(world.simulator.channel(apple))
    #expect(report.latest?.contains(#""content-state":{"n":40}"#) == true, "\(report)")
    #expect(report.throttled == 0 && world.simulator.counters().rejected["TooManyRequests"] == nil)
  }

  @Test func `an app that has all its channels is told so, by us and by Apple`() throws {
    #expect(try create(#"{"name":"first"}"#).status == 201)
    try world.connection.script(
      """
      INSERT INTO channels (app, environment, storage, apns_channel, name)
      SELECT app, environment, storage, 'c' || n, 'channel ' || n FROM channels, generate_series(2, 10000) n
      """)
    let ours = try create(#"{"name":"match-7"}"#)
    #expect(ours.status == 409, "\(ours.text)")
    #expect(ours.string("detail")?.contains("has 10000 channels in production") == true)
    try world.connection.script("DELETE FROM channels")
    world.simulator.ask { service in
      for number in 0..<10_000 {
        _ = service.simulated.knowledge.channels.create("c\(number)", .production, World.appID, policy: 0)
      }
    }
    let apple = try create(#"{"name":"match-7"}"#)
    #expect(apple.status == 409, "\(apple.text)")
    #expect(apple.string("detail")?.contains("CannotCreateChannelConfig") == true)
    #expect(try world.connection.run(Channels.taken(1, .production, name: "match-7")).channels == 0)
  }

  @Test func `a server that is killed while it publishes leaves the latest state to the next`() throws {
    let made = try create(#"{"name":"match-7","storage":"latest"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    world.server.stop()
    let process = try world.process()
    func start() throws -> TestClient {
      try process.start()
      return try poll("the server does not serve") { () -> TestClient? in
        let client = try TestClient(port: process.port)
        return (try? client.call("GET", "/health"))?.status == 200 ? client : nil
      }
    }
    for life in 1...2 {
      let client = try start()
      for number in life * 100..<life * 100 + 20 {
        let reply = try client.call(
          "POST", "\(Self.path)/\(id)/updates", bearer: world.apiKey, Self.update(number))
        #expect(reply.status == 202, "\(reply.text)")
      }
      // Whatever it was doing: some of these are under way.
      process.kill()
    }
    // Apple may have the latest already: a server that does not serve yet would be stopped before it can end in order.
    _ = try start()
    let report = try poll("the latest state was lost: \(process.output.suffix(400))") {
      world.simulator.channel(apple).flatMap { $0.latest?.contains(#"{"n":219}"#) == true ? $0 : nil }
    }
    #expect(report.throttled <= 2, "only what nobody knew of could come too soon")
    #expect(process.stop() == .exited(0))
  }

  @Test func `a stadium shows the latest state, and Apple never says that it is too much`() throws {
    let made = try create(#"{"name":"stadium","storage":"latest"}"#)
    let (id, apple) = (try #require(made.string("channelId")), try #require(made.string("apnsChannelId")))
    let scale = Stadium.fromEnvironment
    world.simulator.follow(apple, count: scale.followers)
    let clock = SystemClock()
    let pause = try Wakeup()
    let began = clock.now
    var number = 0
    // The small run continues until enough updates are published; how many that takes depends on the machine.
    while number < scale.updates
      || !scale.isFull && world.simulator.channel(apple)?.updates ?? 0 < scale.leastUpdates
        && clock.now - began < .patience
    {
      number += 1
      #expect(try publish(id, Self.update(number)).status == 202)
      // Each at its time, whatever the one before took.
      let next = began + .milliseconds(Int64(number) * scale.everyMilliseconds)
      _ = pause.wait(atMost: max(.zero, next - clock.now))
    }
    _ = try published(id)
    let report = try #require(world.simulator.channel(apple))
    #expect(report.latest?.contains(#""content-state":{"n":\#(number)}"#) == true, "\(report.latest ?? "")")
    #expect(report.followers == scale.followers && report.upToDate == scale.followers)
    #expect(report.throttled == 0 && world.simulator.counters().rejected["TooManyRequests"] == nil)
    #expect(report.deliveries == report.updates * scale.followers)
    // One each second: the next goes a second after Apple's answer, so that a few of a minute are superseded.
    #expect(report.updates >= scale.leastUpdates, "\(report.updates) of \(number) were published")
    if scale.isFull {
      print(
        """
        stadium: \(report.updates) of \(number) updates published to \(report.followers) activities, \
        \(report.deliveries) shown, \(report.throttled) refused as too many; all show the last one
        """)
    }
  }
}

/// How large the stadium is: small in the suite, as large as it is asked for by `make stadium`.
private struct Stadium {
  var followers = 50_000
  var updates = 12
  var everyMilliseconds: Int64 = 300
  /// How many updates at least must be published, the first and the last included.
  var leastUpdates = 4
  var isFull = false

  static var fromEnvironment: Stadium {
    guard ProcessInfo.processInfo.environment["TEST_STADIUM"] == "full" else { return Stadium() }
    return Stadium(followers: 1_000_000, updates: 60, everyMilliseconds: 1_000, leastUpdates: 55, isFull: true)
  }
}
