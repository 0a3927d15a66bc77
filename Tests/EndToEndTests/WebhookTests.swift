import Foundation
import Postgres
import Server
import Simulator
import TestTier
import TestSupport
import Testing
import Time

/// Events reach the customer's server: signed, again and again until they are taken, and kept when they are not.
@Suite(.slow, .serialized) struct WebhookTests {
  private func deliveries(_ world: World, _ webhook: String, _ state: String) throws -> [[String: Any]] {
    let reply = try world.client.call(
      "GET", "/v1/admin/webhooks/\(webhook)/deliveries?state=\(state)", bearer: world.apiKey)
    #expect(reply.status == 200, "\(reply.text)")
    return reply["items"] as? [[String: Any]] ?? []
  }

  private func test(_ world: World, _ webhook: String) throws -> String {
    let reply = try world.client.call("POST", "/v1/admin/webhooks/\(webhook)/test", bearer: world.apiKey)
    #expect(reply.status == 202, "\(reply.text)")
    return try #require(reply.string("id"))
  }

  @Test func `an event is told with a signature that its secret proves`() throws {
    let world = try World(webhookPauses: [0])
    let receiver = try EventReceiver()
    let (webhook, secret) = try world.webhook(receiver)
    let id = try test(world, webhook)
    let told = try poll("nothing was told") { receiver.told.first }
    #expect(told.id == id && told.kind == "webhook.test" && told.json["appId"] as? String == World.appID)
    #expect(told.isSigned(with: secret))
    #expect(!told.isSigned(with: "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()))
    _ = try poll("it is not known to be delivered") {
      try deliveries(world, webhook, "delivered").first { $0["id"] as? String == id && $0["status"] as? Int == 204 }
    }
    let renewed = try world.client.call(
      "PATCH", "/v1/admin/webhooks/\(webhook)", bearer: world.apiKey,
      #"{"renewSecret":true,"keepSecretFor":"PT0S"}"#)
    let other = try #require(renewed.string("secret"))
    _ = try test(world, webhook)
    let second = try poll("nothing more was told") { receiver.told.dropFirst().first }
    #expect(second.isSigned(with: other) && !second.isSigned(with: secret))
  }

  @Test func `an event that cannot be told is given up with its reason, and the others are told`() throws {
    let world = try World(webhookPauses: [0])
    try world.connection.script(
      "ALTER TABLE event_deliveries ADD CONSTRAINT poison CHECK (event > 1 OR attempts = 0)")
    let receiver = try EventReceiver()
    let (webhook, _) = try world.webhook(receiver)
    let poison = try test(world, webhook)
    let others = try (0..<3).map { _ in try test(world, webhook) }
    let told = try poll("the others wait for ever") { receiver.told.count == 3 ? receiver.told : nil }
    #expect(Set(told.map(\.id)) == Set(others))
    let dead = try poll("it was not given up") { try deliveries(world, webhook, "dead").first }
    #expect(dead["id"] as? String == poison && (dead["reason"] as? String)?.hasPrefix("Set aside: ") == true, "\(dead)")
  }

  @Test(arguments: [500, 307, 410]) func `what is not taken is tried again, given up, and replayed with its id`(
    _ status: Int
  ) throws {
    let world = try World(webhookPauses: [0, 0])
    let receiver = try EventReceiver()
    let (webhook, _) = try world.webhook(receiver)
    receiver.answer(status)
    let id = try test(world, webhook)
    let dead = try poll("it was not given up") { try deliveries(world, webhook, "dead").first }
    #expect(dead["id"] as? String == id && dead["attempts"] as? Int == 3 && dead["status"] as? Int == status)
    #expect(receiver.told.map(\.id) == [id, id, id])
    let shown = try world.client.call("GET", "/v1/admin/webhooks/\(webhook)", bearer: world.apiKey)
    #expect(shown.int("dead") == 1 && shown.int("waiting") == 0 && shown["secret"] == nil, "\(shown.text)")

    receiver.answer(200)
    let replayed = try world.client.call(
      "POST", "/v1/admin/webhooks/\(webhook)/replay", bearer: world.apiKey, #"{"dead":true}"#)
    #expect(replayed.int("replayed") == 1, "\(replayed.text)")
    _ = try poll("it was not delivered") { try deliveries(world, webhook, "delivered").first }
    #expect(receiver.told.map(\.id) == [id, id, id, id])
    let again = try world.client.call(
      "POST", "/v1/admin/webhooks/\(webhook)/replay", bearer: world.apiKey, #"{"dead":true}"#)
    #expect(again.int("replayed") == 0)
    let one = try world.client.call(
      "POST", "/v1/admin/webhooks/\(webhook)/replay", bearer: world.apiKey, "{\"id\":\"\(id)\"}")
    #expect(one.int("replayed") == 1, "\(one.text)")
    _ = try poll("it was not told again") { receiver.told.count == 5 ? true : nil }
  }

  @Test func `nothing goes to a private address that the configuration does not name`() throws {
    let world = try World(webhookPauses: [], networks: [])
    let receiver = try EventReceiver()
    for (scheme, word) in [("http", "UPMC_WEBHOOK_PRIVATE"), ("https", "not public")] {
      let made = try world.client.call(
        "POST", "/v1/admin/webhooks", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","url":"https://hook.example.com/","kinds":["sms.requested"]}"#)
      let webhook = try #require(made.string("webhookId"))
      // As a name may lead there one day.
      try world.connection.script(
        "UPDATE webhooks SET url = '\(scheme)://127.0.0.1:\(receiver.port)/hook' WHERE webhook = \(webhook)")
      _ = try test(world, webhook)
      let dead = try poll("it was not given up") { try deliveries(world, webhook, "dead").first }
      #expect((dead["reason"] as? String)?.contains(word) == true, "\(dead)")
    }
    #expect(receiver.told.isEmpty)
  }

  @Test func `a message that ends, and a token that dies, are told`() throws {
    let world = try World(webhookPauses: [1])
    let receiver = try EventReceiver()
    let (_, secret) = try world.webhook(receiver, #""message.finished","token.dropped""#)
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.register("d2", token: World.token("b2"), user: "lee")
    world.simulator.register(
      token: World.token("b2"), state: .unregistered(since: Int64(Date().timeIntervalSince1970 * 1000) + 60_000))
    let seqno = try world.send(#"{"clientUids":["kim","lee"]}"#, #","reference":{"key":"order-7"}"#)
    let ended = try world.finished(seqno)
    let told = try poll("not both were told") { receiver.told.count >= 2 ? receiver.told : nil }
    let finished = try #require(told.first { $0.kind == "message.finished" })
    #expect(finished.data["seqno"] as? String == seqno && finished.data["state"] as? String == "completed")
    for count in ["targeted", "accepted", "rejected", "expired", "cancelled", "skipped"] {
      #expect(finished.data[count] as? Int == ended.int(count), "\(count)")
    }
    #expect((finished.data["reference"] as? [String: Any])?["key"] as? String == "order-7")
    let dropped = try #require(told.first { $0.kind == "token.dropped" })
    #expect(dropped.user == "lee" && dropped.data["psidPrefix"] as? String == "b2b2b2b2")
    #expect(told.allSatisfy { $0.isSigned(with: secret) } && Set(told.map(\.id)).count == 2)
  }

  @Test func `a registration that FCM has forgotten is told once, one that may be our fault is not`() throws {
    let world = try World(webhookPauses: [1])
    try world.useServiceAccount()
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver, #""message.finished","token.dropped""#)
    let states: [(user: String, state: FCMRegistrations.State)] = [
      ("kim", .unregistered), ("lee", .otherSender), ("park", .apnsDisabled),
    ]
    for (user, state) in states {
      let registration = "\(user)-of-Firebase:APA91b\(user)"
      world.simulator.register(registration: registration, state: state)
      let reply = try world.client.call(
        "POST", "/v1/devices", bearer: world.clientKey,
        #"{"appId":"\#(World.appID)","pnsId":"FCM","psid":"\#(registration)","deviceId":"\#(user)","clientUid":"\#(user)"}"#
      )
      #expect(reply.status == 201, "\(reply.text)")
    }
    let first = try world.finished(try world.send(#"{"all":true}"#))
    #expect(first.int("rejected") == 3, "\(first.text)")
    // All of them are put aside, and nothing more is said of them.
    let second = try world.finished(try world.send(#"{"all":true}"#))
    #expect(second.int("skipped") == 3, "\(second.text)")
    let told = try poll("not all was told") {
      let told = receiver.told
      return told.count { $0.kind == "message.finished" } == 2 && told.count >= 4 ? told : nil
    }
    let dropped = told.filter { $0.kind == "token.dropped" }
    #expect(Set(dropped.map(\.user)) == ["kim", "park"] && dropped.count == 2, "\(dropped.map(\.data))")
    #expect(dropped.allSatisfy { $0.data["pnsId"] as? String == "FCM" })
    #expect(Set(dropped.compactMap { $0.data["psidPrefix"] as? String }) == ["kim-of-F", "park-of-"])
  }

  @Test func `a message for people of whom nobody is known is over at once, and told`() throws {
    let world = try World(webhookPauses: [1])
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver, #""message.finished""#)
    let seqno = try world.send(#"{"clientUids":["nobody","noone"]}"#)
    let told = try poll("it was not told") { receiver.told.first }
    #expect(told.data["seqno"] as? String == seqno && told.data["state"] as? String == "completed")
    #expect(told.data["targeted"] as? Int == 0)
  }

  @Test func `a certificate that ends soon is told once, and again when it ends sooner`() throws {
    let world = try World(webhookPauses: [1])
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver, #""credential.expiring""#)
    func expire(_ days: Int) throws {
      try world.connection.script(
        """
        UPDATE credentials SET public_part = jsonb_build_object('endsAt', to_char(
          (now() + interval '\(days) days 1 hour') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
        """)
    }
    try expire(8)
    let second = try world.startTellingNode()
    _ = try poll("not told") { receiver.told.first { $0.data["days"] as? Int == 30 } }
    second.stop()
    try expire(6)
    let nodes = [try world.startTellingNode(), try world.startTellingNode()]
    defer { for node in nodes { node.stop() } }
    _ = try poll("not told again") { receiver.told.first { $0.data["days"] as? Int == 7 } }
    #expect(Set(receiver.told.map(\.id)).count == 2)
    #expect(try world.count("SELECT count(*) FROM events") == 2)
  }

  @Test func `wrong webhooks are refused, and a webhook that is gone is unknown`() throws {
    let world = try World(webhookPauses: [1])
    let tooMany = Array(repeating: #""sms.requested""#, count: 101).joined(separator: ",")
    for wrong in [
      #"{"appId":"\#(World.appID)","kinds":["sms.requested"]}"#,
      #"{"appId":"\#(World.appID)","url":"https://a.example","kinds":[]}"#,
      #"{"appId":"\#(World.appID)","url":"https://a.example","kinds":["webhook.test"]}"#,
      #"{"appId":"\#(World.appID)","url":"ftp://a.example","kinds":["sms.requested"]}"#,
      #"{"appId":"\#(World.appID)","url":"https://me@a.example","kinds":["sms.requested"]}"#,
      #"{"appId":"\#(World.appID)","url":"https://a.example/ü","kinds":["sms.requested"]}"#,
      #"{"appId":"\#(World.appID)","url":"https://","kinds":["sms.requested"]}"#,
      #"{"appId":"\#(World.appID)","url":"https://a.example","kinds":[\#(tooMany)]}"#,
    ] {
      let reply = try world.client.call("POST", "/v1/admin/webhooks", bearer: world.apiKey, wrong)
      #expect(reply.status == 400, "\(wrong): \(reply.text)")
    }
    for (url, word) in [
      ("http://sms.example.com/", "https"), ("https://10.1.2.3/", "UPMC_WEBHOOK_PRIVATE"),
      ("https://a.example:0/", "port"), ("https://a.example:99999/", "port"), ("https://127.1/", "neither a name"),
    ] {
      let reply = try world.client.call(
        "POST", "/v1/admin/webhooks", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","url":"\#(url)","kinds":["sms.requested"]}"#)
      // This world's own network is allowed, so that plain http may go to a name.
      if url.hasPrefix("http:") {
        #expect(reply.status == 201, "\(reply.text)")
        try world.connection.script("DELETE FROM webhooks")
        continue
      }
      #expect(
        reply.status == 422 && reply.text.contains(#""pointer":"/url""#) && reply.text.contains(word), "\(reply.text)")
    }
    #expect(try world.count("SELECT count(*) FROM webhooks") == 0)
    let receiver = try EventReceiver()
    let (webhook, _) = try world.webhook(receiver)
    #expect(
      try world.client.call("DELETE", "/v1/admin/webhooks/\(webhook)", bearer: world.apiKey).status == 204)
    for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/test"), ("GET", "/deliveries")] {
      let reply = try world.client.call(method, "/v1/admin/webhooks/\(webhook)\(path)", bearer: world.apiKey)
      #expect(reply.string("type") == "upmc:unknown-webhook", "\(reply.text)")
    }
  }
}
