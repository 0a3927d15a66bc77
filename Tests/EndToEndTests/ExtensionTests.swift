import Foundation
import Postgres
import Simulator
import TestSupport
import Testing

/// Receipts are made by the app's extension, which iOS starts for `mutable-content` alone.
@Suite(.serialized) struct ExtensionTests {
  private static let token = World.token("a1")
  private static let path = "/v1/admin/apps/\(World.appID)"

  private func world(extension isOn: Bool = true) throws -> World {
    let world = try World()
    try world.register("d1", token: Self.token, user: "kim")
    if !isOn {
      let reply = try world.client.call("PATCH", Self.path, bearer: world.apiKey, #"{"extension":false}"#)
      #expect(reply.status == 200 && reply["extension"] as? Bool == false, "\(reply.text)")
      // Every node hears of it a moment later.
      _ = try poll("the setting is not known") {
        try tried(world, "").aps.contains("mutable-content\":1") ? nil : true
      }
    }
    return world
  }

  private func isMutable(_ world: World, _ audience: String, _ more: String) throws -> Bool {
    let seqno = try world.send(audience, more)
    _ = try world.finished(seqno)
    let aps = try #require(try world.payloads(Self.token).last?["aps"] as? [String: Any])
    return aps["mutable-content"] as? Int == 1
  }

  private func tried(_ world: World, _ more: String) throws -> (aps: String, notes: [String]) {
    let reply = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B","dryRun":true\#(more)}"#)
    #expect(reply.status == 200, "\(reply.text)")
    return (reply.text, reply["notes"] as? [String] ?? [])
  }

  @Test
  func `every alert starts the extension, by name, in a campaign and later, unless the message or the app says no`()
    throws
  {
    let world = try world()
    #expect(try world.client.call("GET", Self.path, bearer: world.apiKey)["extension"] as? Bool == true)
    for audience in [#"{"clientUids":["kim"]}"#, #"{"all":true}"#] {
      #expect(try isMutable(world, audience, ""))
      #expect(try isMutable(world, audience, #","pace":{"perSecond":100}"#))
      #expect(try !isMutable(world, audience, #","mutableContent":false"#))
    }
    let without = try self.world(extension: false)
    for audience in [#"{"clientUids":["kim"]}"#, #"{"all":true}"#] {
      #expect(try !isMutable(without, audience, ""))
      #expect(try isMutable(without, audience, #","mutableContent":true"#))
    }
  }

  /// A phone that rests, as phones are: its app is not in front.
  @Test func `a short message is asked for where no extension could confirm, and only there`() throws {
    let world = try World(webhookPauses: [1])
    try world.simulator.startDevices(
      VirtualDevices.Plan(
        count: 1, server: "http://127.0.0.1:\(world.port)", appID: World.appID, clientKey: world.clientKey))
    _ = try poll("the phone has not registered") { world.simulator.deviceCounters?.registered == 1 ? true : nil }
    for (more, after, state) in [
      ("", "PT1H", "confirmed"), (#","mutableContent":false"#, "PT4S", "sms-requested"),
    ] {
      let seqno = try world.send(
        #"{"clientUids":["user0"]}"#, #","sms":true,"fallback":{"after":"\#(after)"}"# + more)
      #expect(try world.finished(seqno).int("accepted") == 1)
      if state == "confirmed" {
        _ = try poll("the extension does not confirm") {
          try world.funnel(seqno).int("received") == 1 ? true : nil
        }
        try world.script("UPDATE fallbacks SET due_at = now() WHERE decision IS NULL")
      }
      let found = try poll("it is not decided") {
        let reply = try world.client.call("GET", "/v1/admin/messages/\(seqno)/fallbacks", bearer: world.apiKey)
        let state = (reply["items"] as? [[String: Any]])?.first?["state"] as? String
        return state == "waiting" ? nil : state
      }
      #expect(found == state, "\(more)")
    }
  }

  @Test func `a dry run shows it, and says when no receipt can be expected of a phone that rests`() throws {
    let world = try world()
    let usual = try tried(world, #","sms":true"#)
    #expect(usual.aps.contains(#""mutable-content":1"#))
    #expect(!usual.notes.contains { $0.contains("unless: read") }, "\(usual.notes)")
    for (world, more) in [(world, #","mutableContent":false"#), (try self.world(extension: false), "")] {
      let plain = try tried(world, more)
      #expect(!plain.aps.contains("mutable-content\":1"))
      #expect(plain.notes.contains { $0.contains("no receipt") }, "\(plain.notes)")
      #expect(try tried(world, more + #","sms":true"#).notes.contains { $0.contains("unless: read") })
      let read = try tried(world, more + #","sms":true,"fallback":{"unless":"read"}"#)
      #expect(!read.notes.contains { $0.contains("unless: read") })
    }
  }

  @Test func `where none of the last 1,000 alerts was confirmed, it is said that the extension does not report`() throws
  {
    let world = try world()
    try world.populate(1000)
    let seqno = try world.insertSend(#"{"clientUids":["nobody"]}"#)
    func accept(_ devices: ClosedRange<Int>) throws {
      try world.connection.script(
        """
        UPDATE messages SET created_at = now() - interval '1 hour' WHERE seqno = \(seqno);
        INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
        SELECT \(seqno), device, now() - interval '10 minutes', 1, 1, user_key FROM devices
        WHERE device_id <> 'd1' AND device_id::int BETWEEN \(devices.lowerBound) AND \(devices.upperBound)
        """)
    }
    func reports() throws -> Any? { try world.client.call("GET", Self.path, bearer: world.apiKey)["extensionReports"] }
    let silence = "the app's extension does not report"
    try accept(1...999)
    #expect(try reports() == nil)
    try accept(1000...1000)
    let app = try world.client.call("GET", Self.path, bearer: world.apiKey)
    #expect(app["extensionReports"] as? Bool == false, "\(app.text)")
    let notes = try tried(world, #","sms":true"#).notes
    #expect(notes.contains { $0.contains(silence) } && notes.contains { $0.contains("unless: read") }, "\(notes)")
    #expect(
      try !tried(world, #","sms":true,"fallback":{"unless":"read"}"#).notes.contains { $0.contains("unless: read") })
    // It is not refused: servers that speak the old protocol send it.
    #expect(try world.send(#"{"clientUids":["kim"]}"#, #","sms":true"#) != "")
    try world.connection.script(
      "INSERT INTO row_receipts SELECT seqno, device, now() FROM outcomes WHERE seqno = \(seqno) LIMIT 1")
    #expect(try reports() as? Bool == true)
    #expect(try !tried(world, #","sms":true"#).notes.contains { $0.contains(silence) })
  }
}
