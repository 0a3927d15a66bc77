import Domain
import Foundation
import Postgres
import Testing

/// The same request is the same message, whether it shares a commit on an HTTP loop or is stored by a thread.
@Suite(.serialized) struct SameRulesTests {
  /// The last is for a thread: nobody on a loop knows the parameter.
  private static let quick = [
    "application/json", "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"",
  ]
  private static let slow = "application/json; version=1"

  private static let everybody = #"{"clientUids":["kim","lee","park","choi","jung","nobody"]}"#

  /// Fields of a send beside app and audience.
  private static let bodies: [(audience: String, more: String)] = [
    (everybody, ""),
    (everybody, sms),
    (everybody, sms + #","kind":"essential""#),
    (everybody, #","sms":true,"fallback":{"unless":"read"}"#),
    (everybody, #","badge":{"increment":2}"# + sms),
    (everybody, #","badge":{"set":7},"dbIn":false"#),
    (everybody, #","badge":{"clear":true}"#),
    (everybody, #","lane":"urgent","expiresIn":"PT10M","onUnknown":"skip""#),
    (everybody, #","lane":"bulk","sender":"UMSUI","reference":{"key":"o1","values":["a"]}"#),
    (everybody, #","confidential":true"# + sms),
    (everybody, #","variables":{"VAR1":"77"},"ext":"0|%VAR1%|%CNAME%","data":{"k":[1,{"a":null}]}"#),
    (everybody, #","mutableContent":false,"category":"c","threadId":"t","interruptionLevel":"passive""#),
    (everybody, #","mutableContent":true,"mediaUrl":"https://example.com/a.png","sound":null"#),
    (#"{"clientUids":["lee"]}"#, sms), (#"{"clientUids":["park"]}"#, sms), (#"{"clientUids":["choi"]}"#, sms),
    (#"{"clientUids":["jung"]}"#, sms), (#"{"clientUids":["nobody"]}"#, sms),
    (#"{"clientUids":["kim","kim"]}"#, sms),
  ]

  private static let sms = #","sms":true,"fallback":{"after":"PT1H"}"#

  /// One who has refused notifications, one whose device is put aside, one with both, one with another that is in order.
  private func world() throws -> World {
    let world = try World(webhookPauses: [1])
    for (index, user) in ["kim", "lee", "park", "choi", "choi", "jung", "jung"].enumerated() {
      let reply = try world.register("d\(index)", token: World.token("a\(index)"), user: user)
      guard [1, 3, 5].contains(index) else { continue }
      let device = try #require(reply.string("device"))
      let answer = try world.client.call(
        "PUT", "/v1/devices/\(device)/consent", bearer: reply.string("authKey"), #"{"notification":false}"#)
      #expect(answer.status == 200, "\(answer.text)")
    }
    try world.connection.script(
      "UPDATE devices SET quarantined_at = now(), quarantine_reason = 'Unregistered' WHERE device_id IN ('d2', 'd4')")
    try world.waitForLease()
    return world
  }

  private func send(_ world: World, _ body: String, _ type: String, key: String? = nil) throws -> Reply {
    try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey, idempotencyKey: key, body, type: type)
  }

  /// All that is stored of a message when it has ended, but for its number and its times.
  private func rows(_ world: World, _ seqno: String) throws -> [String: String] {
    func text(_ sql: String) throws -> String {
      let statement = Statement(
        "rows\(sql.hashValue)", "SELECT coalesce(string_agg(r, ' ; ' ORDER BY r), '') FROM (\(sql)) t(r)")
      return try world.connection.run(statement).text(0, 0)
    }
    return [
      "message": try text(
        """
        SELECT (to_jsonb(m) - '{seqno,created_at,frozen_at,finished_at,expires_at}'::text[]
          || jsonb_build_object('lives', m.expires_at - m.created_at, 'sealed', length(m.sealed)))::text FROM messages m WHERE seqno = \(seqno)
        """),
      "outcomes": try text(
        "SELECT (to_jsonb(o) - '{seqno,at}'::text[])::text FROM outcomes o WHERE seqno = \(seqno)"),
      "short messages": try text(
        """
        SELECT user_key || ' ' || app || ' ' || coalesce(decision::text, '-') || ' ' || round(extract(epoch FROM
          due_at - (SELECT created_at FROM messages m WHERE m.seqno = f.seqno)) / 60)
        FROM fallbacks f WHERE seqno = \(seqno)
        """),
      "ledger": try text(
        """
        SELECT (to_jsonb(l) - '{seqno,at,later,count_before,count_after}'::text[])::text FROM badge_ledger l
        WHERE seqno = \(seqno)
        """),
      "totals": try text(
        """
        -- One runner adds up several answers, the other writes one: a 0 and nothing are the same.
        SELECT concat_ws(' ', coalesce(sum(accepted), 0), coalesce(sum(rejected), 0), coalesce(sum(expired), 0),
          coalesce(sum(cancelled), 0), coalesce(sum(skipped), 0), coalesce(sum(unknown), 0), coalesce(sum(resent), 0)) FROM message_totals
        WHERE seqno = \(seqno)
        """),
      "audit log": try text("SELECT action FROM audit_log WHERE object = '\(seqno)' AND action LIKE 'message.%'"),
      "events": try text("SELECT event_kind FROM events WHERE subject = '\(seqno)' OR subject LIKE '\(seqno) %'"),
    ]
  }

  @Test func `whichever way a send is taken, the same rows are stored of it`() throws {
    let world = try world()
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver)
    for (audience, more) in Self.bodies {
      let body = #"{"appId":"\#(World.appID)","audience":\#(audience),"alert":"%CNAME%"\#(more)}"#
      var stored: [(type: String, rows: [String: String], answer: [String: String])] = []
      for type in Self.quick + [Self.slow] {
        let reply = try send(world, body, type)
        #expect(reply.status == 202, "\(type) \(body): \(reply.text)")
        let seqno = try #require(reply.string("seqno"))
        _ = try world.finished(seqno)
        // Planned as it is stored, or by the planner.
        let isQuick = try world.count("SELECT count(*) FROM messages WHERE seqno = \(seqno) AND frozen_at = created_at")
        #expect((isQuick == 1) == (type != Self.slow), "\(type)")
        stored.append(
          (
            type, try rows(world, seqno),
            ["targeted": "\(reply["targeted"] ?? "")", "unknown": "\(reply["unknown"] ?? "")"]
          ))
      }
      for way in stored.dropFirst() {
        #expect(way.answer == stored[0].answer, "\(way.type): \(body)")
        for (name, row) in stored[0].rows { #expect(way.rows[name] == row, "\(way.type): \(name) of \(body)") }
      }
    }
  }

  @Test func `whichever way a wrong send is taken, it is refused in the same words`() throws {
    let world = try world()
    for body in [
      "", "[]", #"{"appId":"\#(World.appID)"}"#, #"{"appId":"gone","audience":{"clientUids":["kim"]},"alert":"B"}"#,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":[]},"alert":"B"}"#,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]}}"#,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B","badge":{"set":1001}}"#,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B","fallback":{"after":"PT3M"}}"#,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B","from":{"device":"x"}}"#,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"%VAR1%"}"#,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"\#(String(repeating: "x", count: 5000))"}"#,
    ] {
      let refusals = try (Self.quick + [Self.slow]).map { type in
        let reply = try send(world, body, type)
        return "\(reply.status) \(reply.string("type") ?? "") \(reply.string("detail") ?? "")"
      }
      #expect(Set(refusals).count == 1 && refusals[0].hasPrefix("4"), "\(body.prefix(200)): \(refusals)")
    }
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
  }

  @Test func `a key that was used one way is known the other way`() throws {
    let world = try world()
    let body = #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B"}"#
    let first = try send(world, body, Self.slow, key: "k")
    for type in Self.quick + [Self.slow] {
      #expect(try send(world, body, type, key: "k").text == first.text)
      #expect(try send(world, body + " ", type, key: "k").status == 409)
    }
    #expect(try world.count("SELECT count(*) FROM messages") == 1)
  }

  /// Nobody who has refused notifications is sent a short message in their place; whoever's token is worth nothing any more
  /// is: that is what it is for.
  @Test func `the same people get a short message, by name, at a pace, in a campaign and in a file`() throws {
    let world = try world()
    let devices = try (0..<7).map { number in
      let psid = World.token("a\(number)")
      return try world.connection.run(
        Statement("device\(number)", "SELECT device::text FROM devices WHERE psid = '\(psid)'")
      ).text(0, 0)
    }
    let list = devices.map { #""\#($0)""# }.joined(separator: ",")
    for (audience, more) in [
      (Self.everybody, ""), (Self.everybody, #","pace":{"perSecond":1000}"#), (#"{"all":true}"#, ""),
      (#"{"members":true}"#, ""), (#"{"devices":[\#(list)]}"#, ""),
      (Self.everybody, #","canary":{"percent":50,"wait":"PT1S"}"#),
    ] {
      let seqno = try world.send(audience, more + Self.sms)
      _ = try world.finished(seqno)
      let people = try world.connection.run(
        Statement(
          "people \(seqno)", "SELECT string_agg(user_key, ' ' ORDER BY user_key) FROM fallbacks WHERE seqno = \(seqno)")
      )
      #expect(people.text(0, 0) == "uchoi ujung ukim upark", "\(audience)\(more)")
    }
  }
}
