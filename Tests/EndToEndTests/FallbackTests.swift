import Foundation
import Postgres
import Reactor
import TestTier
import TestSupport
import Testing

/// A push that nobody confirms becomes a short message, once for each person.
@Suite(.slow, .serialized) struct FallbackTests {
  private static func sms(_ after: String, unless: String = "received") -> String {
    #","sms":true,"fallback":{"after":"\#(after)","unless":"\#(unless)"}"#
  }

  /// How the short messages of a message stand, by user.
  private func states(_ world: World, _ seqno: String) throws -> [String: [String: Any]] {
    let reply = try world.client.call("GET", "/v1/admin/messages/\(seqno)/fallbacks", bearer: world.apiKey)
    #expect(reply.status == 200, "\(reply.text)")
    let items = reply["items"] as? [[String: Any]] ?? []
    return Dictionary(uniqueKeysWithValues: items.map { ($0["clientUid"] as? String ?? "", $0) })
  }

  private func decided(_ world: World, _ seqno: String) throws -> [String: String] {
    try poll("not all are decided") {
      let found = try states(world, seqno).mapValues { $0["state"] as? String ?? "" }
      return found.values.contains("waiting") ? nil : found
    }
  }

  @Test func `whoever does not confirm in time gets a short message, and a late receipt is noted`() throws {
    let world = try World(webhookPauses: [1])
    let receiver = try EventReceiver()
    let (_, secret) = try world.webhook(receiver)
    for (index, user) in ["kim", "lee", "park"].enumerated() {
      try world.register("d\(index)", token: World.token("a\(index)"), user: user)
    }
    try world.register("guest", token: World.token("b0"), user: nil)
    let seqno = try world.send(
      #"{"all":true}"#, Self.sms("PT1H") + #","sender":"BANK","reference":{"key":"o1"}"#)
    _ = try world.finished(seqno)
    #expect(try states(world, seqno).count == 3)
    // One receives it, one opens it: both will do.
    #expect(try world.receipt(seqno, World.token("a0")).status == 200)
    #expect(try world.read(seqno, World.token("a2")).status == 200)
    try makeDue(world)
    #expect(
      try decided(world, seqno) == ["kim": "confirmed", "lee": "sms-requested", "park": "confirmed"])
    let told = try poll("nobody asked for a short message") { receiver.told.first }
    #expect(told.kind == "sms.requested" && told.user == "lee" && told.isSigned(with: secret))
    #expect(told.data["seqno"] as? String == seqno && told.data["body"] as? String == "B")
    #expect(told.data["title"] as? String == "T" && told.data["sender"] as? String == "BANK")
    #expect(told.data["clientName"] as? String == "Name of lee")

    #expect(try states(world, seqno)["lee"]?["lateAt"] is NSNull)
    #expect(try world.receipt(seqno, World.token("a1")).result["status"] as? String == "recorded")
    let late = try #require(try states(world, seqno)["lee"]?["lateAt"] as? String)
    #expect(try world.receipt(seqno, World.token("a1")).result["status"] as? String == "recorded")
    #expect(try states(world, seqno)["lee"]?["lateAt"] as? String == late)
    #expect(try world.count("SELECT count(*) FROM events") == 1)
    #expect(receiver.told.count == 1)
  }

  @Test func `one person about whom nothing can be decided keeps nobody else waiting`() throws {
    let world = try World(webhookPauses: [1])
    for (index, user) in ["kim", "lee", "park"].enumerated() {
      try world.register("d\(index)", token: World.token("a\(index)"), user: user)
    }
    try world.connection.script(
      "ALTER TABLE fallbacks ADD CONSTRAINT poison CHECK (user_key <> 'ulee' OR decision IS NULL)")
    let seqno = try world.send(#"{"all":true}"#, Self.sms("PT1S"))
    _ = try poll("the others wait for ever") {
      let states = try states(world, seqno).mapValues { $0["state"] as? String ?? "" }
      return states == ["kim": "sms-requested", "lee": "waiting", "park": "sms-requested"] ? true : nil
    }
    // Both others may have come before lee.
    _ = try poll("lee is tried again at once") {
      try world.count(
        "SELECT count(*) FROM fallbacks WHERE user_key = 'ulee' AND due_at > now() + interval '5 minutes'")
        == 1 ? true : nil
    }
  }

  @Test func `the short message says it in the language of the push`() throws {
    let world = try World(webhookPauses: [1])
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver)
    let locales = ["kim": "ko-KR", "lee": "de", "park": "en_GB"]
    for (index, (user, locale)) in locales.sorted(by: { $0.key < $1.key }).enumerated() {
      try world.register("d\(index)", token: World.token("a\(index)"), user: user, locale: locale)
    }
    // An older device of kim's in another language, and one that has told none.
    try world.register("old", token: World.token("b0"), user: "kim", locale: "en-US")
    try world.connection.script(
      "UPDATE devices SET registered_at = registered_at - interval '1 day' WHERE device_id = 'old'")
    try world.register("mute", token: World.token("b1"), user: "kim")
    let seqno = try world.send(
      #"{"all":true}"#,
      #","translations":{"ko":{"title":"제목","body":"%CNAME% 안녕"},"en":{"title":"Title","body":"Hello"}}"#
        + Self.sms("PT1S"))
    _ = try world.finished(seqno)
    let told = try poll("not all are told") { receiver.told.count >= 3 ? receiver.told : nil }
    let texts = Dictionary(
      told.map { told in (told.user, ["title", "body"].map { "\(told.data[$0] ?? "")" }) }
    ) { first, _ in first }
    #expect(texts["kim"] == ["제목", "Name of kim 안녕"])
    #expect(texts["park"] == ["Title", "Hello"])
    #expect(texts["lee"] == ["T", "B"])
  }

  /// Lets the time of every short message come, after whatever came first on a busy machine.
  private func makeDue(_ world: World) throws {
    try world.connection.script("UPDATE fallbacks SET due_at = now() WHERE decision IS NULL")
  }

  @Test func `with unless read, a receipt is not enough`() throws {
    let world = try World(webhookPauses: [1])
    for (index, user) in ["kim", "lee"].enumerated() {
      try world.register("d\(index)", token: World.token("a\(index)"), user: user)
    }
    // Past the planner, as one-time passwords go; the text is filled in for each.
    let reply = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim","lee"]},"alert":"%CUID% %VAR1%","#
        + #""variables":{"VAR1":"77"}\#(Self.sms("PT1H", unless: "read"))}"#)
    let seqno = try #require(reply.string("seqno"), "\(reply.text)")
    _ = try world.finished(seqno)
    for token in ["a0", "a1"] { _ = try world.receipt(seqno, World.token(token)) }
    _ = try world.read(seqno, World.token("a0"))
    try makeDue(world)
    #expect(try decided(world, seqno) == ["kim": "confirmed", "lee": "sms-requested"])
    #expect(
      try world.connection.run(Statement("test-body", "SELECT data->>'body' FROM events")).text(0, 0) == "lee 77")
  }

  @Test func `any device of a person confirms for the person`() throws {
    let world = try World(webhookPauses: [1])
    try world.register("d0", token: World.token("a0"), user: "kim")
    try world.register("d1", token: World.token("a1"), user: "kim")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, Self.sms("PT1H"))
    _ = try world.finished(seqno)
    _ = try world.receipt(seqno, World.token("a1"))
    try makeDue(world)
    #expect(try decided(world, seqno) == ["kim": "confirmed"])
    #expect(try world.count("SELECT count(*) FROM events") == 0)
  }

  @Test func `a message that is cancelled asks for none, one that is paused waits, a repeated one asks for none`()
    throws
  {
    let world = try World(webhookPauses: [1])
    try world.register("d0", token: World.token("a0"), user: "kim")
    try world.register("d1", token: World.token("a1"), user: "lee")
    let slow = Self.sms("PT1H") + #","pace":{"devices":1,"wait":"P1D"}"#
    let cancelled = try world.send(#"{"all":true}"#, slow)
    let paused = try world.send(#"{"all":true}"#, slow)
    try world.delivered(2)
    #expect(try world.control("cancel", cancelled).status == 200)
    #expect(try world.control("pause", paused).status == 200)
    try makeDue(world)
    #expect(try decided(world, cancelled).values.allSatisfy { $0 == "called-off" })
    _ = try poll("it was not put off") {
      try world.count(
        "SELECT count(*) FROM fallbacks WHERE seqno = \(paused) AND decision IS NULL AND due_at > now() + interval '5 s'"
      )
        == 1 ? true : nil
    }
    #expect(try world.count("SELECT count(*) FROM events") == 0)
    try world.connection.script("UPDATE fallbacks SET due_at = now() WHERE seqno = \(paused)")
    #expect(try world.control("resume", paused).status == 200)
    try world.connection.script("UPDATE fallbacks SET due_at = now() WHERE seqno = \(paused)")
    #expect(try decided(world, paused).values.allSatisfy { $0 == "sms-requested" })

    let first = try world.send(#"{"clientUids":["kim"]}"#, Self.sms("PT1S"))
    _ = try world.finished(first)
    let again = try world.client.call(
      "POST", "/v1/admin/messages/\(first)/resend", bearer: world.apiKey, #"{"to":"not-received"}"#)
    let second = try #require(again.string("seqno"))
    _ = try world.finished(second)
    #expect(try states(world, second).isEmpty && states(world, first).count == 1)
  }

  @Test func `where a push has to wait for its hours, the short message waits too`() throws {
    let world = try World(webhookPauses: [1])
    try world.register("d0", token: World.token("a0"), user: "kim")
    let hour = Int(Date().timeIntervalSince1970 / 3600 + 9) % 24
    // It opens in three hours, where the device is.
    let window = String(format: #"{"from":"%02d:00","to":"%02d:30","zone":"device"}"#, (hour + 4) % 24, (hour + 4) % 24)
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, Self.sms("PT1H") + #","window":\#(window)"#)
    _ = try poll("the deadline has not moved") {
      try world.count(
        "SELECT count(*) FROM fallbacks WHERE seqno = \(seqno) AND due_at > now() + interval '3 hours 30 minutes'") == 1
        ? true : nil
    }
  }

  @Test func `a fallback without sms is refused`() throws {
    let world = try World(webhookPauses: [1])
    for (wrong, status) in [
      (#","fallback":{"after":"PT3M"}"#, 422), (#","sms":true,"fallback":{"after":"P2D"}"#, 400),
      (#","sms":true,"fallback":{"unless":"seen"}"#, 400),
    ] {
      let reply = try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"B"\#(wrong)}"#)
      #expect(reply.status == status && reply.text.contains("/fallback"), "\(reply.text)")
    }
  }

  /// Receipts come while the deadlines pass, on two nodes, and one of them is killed and started again: exactly one event
  /// for each person whose receipt did not come first, none for the others.
  @Test func `exactly one short message for each missed push, whoever dies meanwhile`() throws {
    let world = try World(webhookPauses: [1])
    let people = 600
    try world.populate(people)
    try world.connection.script(
      "INSERT INTO psids (app, psid, network, kind, device, bound_at) SELECT app, psid, 1, 1, device, now() FROM devices"
    )
    let process = try world.process()
    try process.start()
    let seqno = try world.insertSend(#"{"all":true}"#, Self.sms("PT1H"))
    try world.delivered(people)
    var numbers = Array(1...people)
    numbers.shuffle()
    // A third long before the deadline, the others as it passes.
    var recorded: Set<Int> = []
    var wasKilled = false
    for (index, number) in numbers.prefix(people * 2 / 3).enumerated() {
      let reply = try world.receipt(seqno, World.token(number: number))
      if reply.result["status"] as? String == "recorded" { recorded.insert(number) }
      if index > people / 3, try world.count("SELECT count(*) FROM fallbacks WHERE decision = 2") > 0, !wasKilled {
        wasKilled = true
        process.kill()
        try process.start()
      }
      if index == people / 3 {
        // However long that took: the deadlines of the others pass from now on.
        try world.connection.script(
          "UPDATE fallbacks SET due_at = now() + random() * interval '2 seconds' WHERE decision IS NULL")
      }
    }
    #expect(recorded.count == people * 2 / 3)
    _ = try poll("not all are decided") {
      try world.count("SELECT count(*) FROM fallbacks WHERE decision IS NULL") == 0 ? true : nil
    }
    process.kill()
    func check(_ what: String, _ sql: String, _ expected: Int) throws {
      #expect(try world.count(sql) == Int64(expected), "\(what)")
    }
    try check("a row for each", "SELECT count(*) FROM fallbacks", people)
    try check("no other decision", "SELECT count(*) FROM fallbacks WHERE decision NOT IN (1, 2)", 0)
    try check(
      "an event for each that was asked for, and no other",
      """
      SELECT count(*) FROM fallbacks f FULL JOIN events e ON e.subject = f.seqno || ' ' || f.user_key
      WHERE (f.decision = 2) IS DISTINCT FROM (e.event IS NOT NULL)
      """, 0)
    try check(
      "whoever was never confirmed", "SELECT count(*) FROM events",
      people
        - Int(
          try world.count("SELECT count(*) FROM fallbacks WHERE decision = 1")))
    try check(
      "each receipt either came first, or is noted as late",
      """
      SELECT count(*) FROM receipts r JOIN devices d USING (device) JOIN fallbacks f USING (seqno, user_key)
      WHERE NOT (f.decision = 1 OR f.late_at IS NOT NULL)
      """, 0)
    try check(
      "who was confirmed has a receipt",
      """
      SELECT count(*) FROM fallbacks f JOIN devices d USING (user_key)
      LEFT JOIN receipts r ON r.seqno = f.seqno AND r.device = d.device
      WHERE (f.decision = 1 OR f.late_at IS NOT NULL) AND r.device IS NULL
      """, 0)
    #expect(try world.count("SELECT count(*) FROM fallbacks WHERE decision = 1") >= people / 3)
    #expect(try world.count("SELECT count(*) FROM events") >= people / 3)
  }
}
