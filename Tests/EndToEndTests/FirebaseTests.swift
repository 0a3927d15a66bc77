import Domain
import Foundation
import Operations
import Postgres
import Reactor
import Server
import Simulator
import TestTier
import TestSupport
import Testing

/// Android beside iOS: one message to both, each by its own network, one account of it all.
@Suite(.slow, .serialized) struct FirebaseTests {
  private static func registration(_ number: Int) -> String { "fabcdefghijklmnopqrs\(number):APA91bexample\(number)" }

  @discardableResult
  private func register(_ world: World, _ deviceID: String, _ name: String, user: String?) throws -> Reply {
    let user = user.map { #","clientUid":"\#($0)""# } ?? ""
    return try world.client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"{"appId":"\#(World.appID)","pnsId":"FCM","psid":"\#(name)","deviceId":"\#(deviceID)"\#(user)}"#)
  }

  private func payloads(_ world: World, _ name: String) throws -> [[String: Any]] {
    try world.simulator.deliveries(toRegistration: name).map { delivery in
      let payload = delivery.payload ?? []
      #expect(
        DocumentedWire.faults(ofPayload: payload, from: "FCM") == [], "\(String(decoding: payload, as: UTF8.self))")
      return try #require(try JSONSerialization.jsonObject(with: Data(delivery.payload ?? [])) as? [String: Any])
    }
  }

  @Test func `a mixed audience gets it by two networks, with receipts, reads and badges`() throws {
    let world = try World()
    try world.useServiceAccount()
    var plan = VirtualDevices.Plan(
      count: 30, server: "http://127.0.0.1:\(world.server.address.port)", appID: World.appID,
      clientKey: world.clientKey, users: 15)
    plan.readProbability = 1
    try world.simulator.startDevices(plan)
    plan.count = 20
    plan.isAndroid = true
    try world.simulator.startDevices(plan)
    _ = try poll("the devices did not register") {
      world.simulator.deviceCounters?.registered == 50 ? true : nil
    }

    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    let funnel = try world.finished(seqno)
    #expect(funnel.int("targeted") == 50 && funnel.int("accepted") == 50, "\(funnel.text)")
    let after = try poll("not all was read") {
      let funnel = try world.funnel(seqno)
      return funnel.int("read") == 50 ? funnel : nil
    }
    #expect(after.int("received") == 50 && after.int("pending") == 0)
    let counters = world.simulator.counters()
    #expect(counters.deliveries == 30 && counters.fcm.deliveries == 20)
    #expect(counters.duplicates == 0 && counters.fcm.duplicates == 0)
    #expect(counters.devices?.failed == [:] && counters.devices?.read == 50)
  }

  @Test func `both devices of a user count the same badge, whichever reads`() throws {
    let world = try World()
    try world.useServiceAccount()
    let android = Self.registration(1)
    let ios = World.token("a1")
    try world.register("phone", token: ios, user: "kim")
    #expect(try register(world, "tablet", android, user: "kim").status == 201)
    for expected in 1...2 {
      let seqno = try world.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":1},"lane":"urgent""#)
      #expect(try world.finished(seqno).int("accepted") == 2)
      let aps = try #require(try payloads(world, android).last?["aps"] as? [String: Any])
      #expect(aps["badge"] as? Int == expected)
      guard expected == 2 else { continue }
      let mps = try #require(try payloads(world, android).last?["mps"] as? [String: Any])
      let pushkey = try #require(mps["pushkey"] as? String)
      let reply = try world.client.call(
        "POST", "/v1/reads",
        #"{"reads":[{"seqno":"\#(seqno)","psid":"\#(android)","pushkey":"\#(pushkey)"}]}"#)
      #expect(reply.result["status"] as? String == "recorded" && reply.result["badge"] as? Int == 1)
    }
    #expect(try world.badges(ios) == [1, 2])
  }

  @Test func `a registration that FCM has forgotten is put aside, and the next message skips it`() throws {
    let world = try World()
    try world.useServiceAccount()
    let (good, gone) = (Self.registration(1), Self.registration(2))
    world.simulator.register(registration: gone, state: .unregistered)
    try register(world, "one", good, user: "kim")
    try register(world, "two", gone, user: "kim")
    let first = try world.send(#"{"clientUids":["kim"]}"#)
    let funnel = try world.finished(first)
    #expect(funnel.int("accepted") == 1 && funnel.int("rejected") == 1, "\(funnel.text)")
    let second = try poll("the registration is still tried") {
      let funnel = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
      return funnel.int("skipped") == 1 ? funnel : nil
    }
    #expect(second.int("accepted") == 1)
    // Registered anew, it is good again.
    world.simulator.register(registration: gone)
    #expect(try register(world, "two", gone, user: "kim").status == 200)
    let third = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    #expect(third.int("accepted") == 2, "\(third.text)")
  }

  @Test func `a Live Activity of a device that comes through FCM is updated through FCM`() throws {
    let world = try World()
    try world.useServiceAccount()
    let name = Self.registration(1)
    let device = try register(world, "phone", name, user: "kim")
    try world.addActivity("order-42", token: World.token("e1"), of: device)
    let funnel = try world.sendActivity("update", 7, to: "order-42")
    #expect(funnel.int("accepted") == 1, "\(funnel.text)")
    let aps = try #require(try payloads(world, name).last?["aps"] as? [String: Any])
    #expect((aps["content-state"] as? [String: Any])?["n"] as? Int == 7)
    #expect(world.simulator.counters().deliveries == 0)
  }

  /// As Firebase makes them: 22 characters of base64url.
  private static func installation(_ number: Int) -> String { "cAbcdefghijklmnopqr" + String(100 + number) }

  @Test func `when a third of the registrations turn into installation ids within an hour, nobody is dropped`() throws {
    let world = try World(identity: .proof)
    try world.useServiceAccount()
    // More than the circuit breaker looks at, so that it would open if it took the old ones for a wrong setting.
    let (count, wave) = (700, 210)
    var keys: [String] = []
    for number in 0..<count {
      let reply = try register(world, "d\(number)", Self.registration(number), user: nil)
      keys.append(try #require(reply.string("authKey")))
    }
    func turn(_ numbers: Range<Int>) throws {
      for number in numbers {
        let reply = try world.client.call(
          "POST", "/v1/devices", bearer: keys[number],
          """
          {"appId":"\(World.appID)","pnsId":"FCM","psid":"\(Self.installation(number))","deviceId":"d\(number)"}
          """)
        #expect(reply.status == 200, "\(reply.text)")
      }
    }
    // The old registrations end at Firebase first; the devices come with their new names while messages go out.
    for number in 0..<wave {
      world.simulator.register(registration: Self.registration(number), state: .unregistered)
      world.simulator.register(registration: Self.installation(number))
    }
    var seqnos = [try world.send(#"{"all":true}"#)]
    for part in 0..<3 {
      try turn(part * 70..<part * 70 + 70)
      seqnos.append(try world.send(#"{"all":true}"#))
    }
    for seqno in seqnos {
      let funnel = try world.finished(seqno)
      #expect((funnel.int("accepted") ?? 0) >= count - wave, "\(funnel.text)")
    }
    let last = try world.finished(try world.send(#"{"all":true}"#))
    #expect(last.int("targeted") == count && last.int("accepted") == count, "\(last.text)")
    let app = try world.client.call("GET", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey)
    #expect(app["pausedReason"] is NSNull, "\(app.text)")
  }

  /// Two minutes pass in all that is stored of devices. The dispatcher has its time from PostgreSQL, which no test can turn; so
  /// what it compares with the time moves back instead.
  private static let twoMinutesPass = """
    DO $$ DECLARE c record; BEGIN
      FOR c IN SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND data_type = 'timestamp with time zone'
          AND table_name IN ('devices', 'psids', 'former_psids', 'former_users')
      LOOP
        EXECUTE format(
          'UPDATE %I SET %I = %I - interval %L', c.table_name, c.column_name, c.column_name, '2 minutes');
      END LOOP;
    END $$
    """

  @Test func `in an hour's wave of installation ids a device misses only what goes out until it comes itself`() throws {
    let world = try World(identity: .proof)
    try world.useServiceAccount()
    let (count, wave, rounds) = (700, 210, 30)
    var keys: [String] = []
    for number in 0..<count {
      keys.append(
        try #require(try register(world, "d\(number)", Self.registration(number), user: nil).string("authKey")))
    }
    // When Firebase ends the old registration of each, and how many rounds later the device says so; always the same.
    var plan: [(ends: Int, comes: Int)] = []
    for number in 0..<wave {
      let ends = number * 7 % (rounds - 5)
      plan.append((ends, ends + 1 + number % 5))
    }
    var refusals = 0
    for round in 0..<rounds {
      for (number, device) in plan.enumerated() where device.comes == round {
        let reply = try world.client.call(
          "POST", "/v1/devices", bearer: keys[number],
          """
          {"appId":"\(World.appID)","pnsId":"FCM","psid":"\(Self.installation(number))","deviceId":"d\(number)"}
          """)
        #expect(reply.status == 200, "\(reply.text)")
      }
      for (number, device) in plan.enumerated() where device.ends == round {
        world.simulator.register(registration: Self.registration(number), state: .unregistered)
        world.simulator.register(registration: Self.installation(number))
      }
      let funnel = try world.finished(try world.send(#"{"all":true}"#))
      let away = plan.count { $0.ends <= round && round < $0.comes }
      #expect(funnel.int("targeted") == count && funnel.int("accepted") == count - away, "\(round): \(funnel.text)")
      // Google is asked once about each registration that has ended, in the two minutes in which it has, and not again.
      refusals += plan.count { $0.ends == round }
      #expect(world.simulator.counters().fcm.rejected["UNREGISTERED"] == refusals, "\(round)")
      let app = try world.client.call("GET", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey)
      #expect(app["pausedReason"] is NSNull, "\(round): \(app.text)")
      try world.connection.script(Self.twoMinutesPass)
    }
    let last = try world.finished(try world.send(#"{"all":true}"#))
    #expect(last.int("targeted") == count && last.int("accepted") == count, "\(last.text)")
    #expect(refusals == wave && world.simulator.counters().fcm.duplicates == 0)
  }

  @Test func `the largest payload that a send may have is one that FCM takes, too`() throws {
    let world = try World()
    try world.useServiceAccount()
    try register(world, "tablet", Self.registration(1), user: "kim")
    try world.register("phone", token: World.token("a1"), user: "lee")
    func send(_ audience: String, _ bytes: Int) throws -> Reply {
      try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","audience":\#(audience),"alert":"\#(String(repeating: "x", count: bytes))"}"#)
    }
    for audience in [#"{"clientUids":["kim"]}"#, #"{"members":true}"#] {
      let refused = try send(audience, 4096)
      let number = try #require(try #/would have (\d+) bytes; the network takes 4089/#.firstMatch(in: refused.text)).1
      let most = 4089 - (try #require(Int(number)) - 4096)
      #expect(try send(audience, most + 1).string("type") == "upmc:payload-too-large")
      let largest = try world.finished(try #require(try send(audience, most).string("seqno")))
      #expect(largest.int("accepted") == largest.int("targeted"), "\(largest.text)")
      // Whom only Apple reaches may have the rest.
      #expect(try send(#"{"clientUids":["lee"]}"#, most + 7).status == 202)
      #expect(try send(#"{"clientUids":["lee"]}"#, most + 8).status == 422)
    }
  }

  @Test func `an app without a service account sends to its iOS devices and skips the others`() throws {
    let world = try World()
    try world.register("phone", token: World.token("a1"), user: "kim")
    try register(world, "tablet", Self.registration(1), user: "kim")
    let funnel = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    #expect(funnel.int("accepted") == 1 && funnel.int("skipped") == 1, "\(funnel.text)")
    #expect(world.simulator.counters().fcm.requests == 0)
  }
}
