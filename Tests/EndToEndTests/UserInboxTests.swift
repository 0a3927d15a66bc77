import Domain
import Foundation
import Operations
import Postgres
import Simulator
import TestTier
import TestSupport
import Testing
import Time

/// Messages that stay with a person: what devices see of them, and how they end.
@Suite(.slow, .serialized) struct UserInboxTests {
  private static let tokens = ["a1", "b2", "c3"].map { World.token($0) }
  private static let keep = #","inbox":"P90D""#

  /// A device as its registration answered.
  private struct Phone {
    let id: String
    let authKey: String
    let token: String
  }

  private func phone(
    _ world: World, _ name: String, _ token: String, user: String?, locale: String? = nil, authKey: String? = nil
  ) throws -> Phone {
    let reply = try world.register(name, token: token, user: user, authKey: authKey, locale: locale)
    return Phone(
      id: try #require(reply.string("device"), "\(reply.text)"), authKey: try #require(reply.string("authKey")),
      token: token)
  }

  private func inbox(_ world: World, _ phone: Phone, _ query: String = "") throws -> Reply {
    let reply = try world.client.call("GET", "/v1/devices/\(phone.id)/inbox\(query)", bearer: phone.authKey)
    try #require(reply.status == 200, "\(reply.text)")
    return reply
  }

  private func items(_ reply: Reply) -> [[String: Any]] { reply["items"] as? [[String: Any]] ?? [] }
  private func seqnos(_ reply: Reply) -> [String] { items(reply).compactMap { $0["seqno"] as? String } }
  private func payload(_ item: [String: Any]) -> [String: Any] { item["payload"] as? [String: Any] ?? [:] }
  private func alert(_ item: [String: Any]) -> [String: String] {
    (payload(item)["aps"] as? [String: Any])?["alert"] as? [String: String] ?? [:]
  }
  private func isRead(_ reply: Reply, _ seqno: String) -> Bool? {
    items(reply).first { $0["seqno"] as? String == seqno }.map { $0["readAt"] is String }
  }

  /// Reads an entry as an app does: with what the entry itself shows.
  private func read(_ world: World, _ item: [String: Any], on phone: Phone) throws -> [String: Any] {
    let mps = try #require(payload(item)["mps"] as? [String: Any])
    let (seqno, pushkey) = (try #require(mps["seqno"] as? String), try #require(mps["pushkey"] as? String))
    return try world.client.call(
      "POST", "/v1/reads", #"{"reads":[{"seqno":"\#(seqno)","psid":"\#(phone.token)","pushkey":"\#(pushkey)"}]}"#
    ).result
  }

  // MARK: What it shows

  @Test func `each device sees the message as its push showed it, the newest first, page by page`() throws {
    let world = try World()
    let korean = try phone(world, "d1", Self.tokens[0], user: "kim", locale: "ko-KR")
    let english = try phone(world, "d2", Self.tokens[1], user: "kim", locale: "en-US")
    let lee = try phone(world, "d3", Self.tokens[2], user: "lee")
    let texts = #","translations":{"ko":{"title":"제목","body":"안녕 %CNAME%"}},"data":{"link":"app://a"}"#
    let first = try world.send(#"{"all":true}"#, texts + Self.keep)
    _ = try world.finished(first)
    let second = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    let third = try world.send(#"{"clientUids":["kim"]}"#)
    for seqno in [second, third] { _ = try world.finished(seqno) }
    let (seen, other) = (try inbox(world, korean), try inbox(world, english))
    #expect(seqnos(seen) == [second, first] && seen.int("unread") == 2, "\(seen.text)")
    #expect(seqnos(try inbox(world, lee)) == [first])
    let entry = try #require(items(seen).last)
    #expect(alert(entry) == ["title": "제목", "body": "안녕 Name of kim"])
    #expect(alert(try #require(items(other).last)) == ["title": "T", "body": "B"])
    #expect(payload(entry)["link"] as? String == "app://a")
    // Byte for byte what came, pushkey and all.
    let pushed = try world.payloads(korean.token).first { ($0["mps"] as? [String: Any])?["seqno"] as? String == first }
    #expect(payload(entry) as NSDictionary == (try #require(pushed)) as NSDictionary)
    #expect(entry["readAt"] is NSNull && (entry["endsAt"] as? String ?? "") > (entry["sentAt"] as? String ?? ""))
    let page = try inbox(world, korean, "?limit=1")
    let cursor = try #require(page.string("nextCursor"))
    #expect(seqnos(page) == [second])
    #expect(seqnos(try inbox(world, korean, "?%6Cimit=1")) == [second], "a name is what its bytes say")
    let rest = try inbox(world, korean, "?limit=1&cursor=\(cursor)")
    #expect(seqnos(rest) == [first] && rest["nextCursor"] is NSNull)
  }

  @Test func `what a file says of each person is kept with the entry`() throws {
    let world = try World()
    let (kim, lee) = (
      try phone(world, "d1", Self.tokens[0], user: "kim"), try phone(world, "d2", Self.tokens[1], user: "lee")
    )
    let made = try world.client.call(
      "POST", "/v1/admin/audiences/csv?appId=\(World.appID)", bearer: world.apiKey,
      "CUID,NAME,VAR1\nkim,Mr Kim,10000\nlee,,20\n", type: "text/csv")
    let csv = try #require(made.string("csvId"), "\(made.text)")
    let sent = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"csv":"\#(csv)"},"alert":"%CNAME%: %VAR1%"\#(Self.keep)}"#)
    _ = try world.finished(try #require(sent.string("seqno"), "\(sent.text)"))
    try world.connection.script("DELETE FROM csv_lines")
    func body(_ phone: Phone) throws -> String? {
      let aps = payload(try #require(items(try inbox(world, phone)).first))["aps"] as? [String: Any]
      return aps?["alert"] as? String ?? (aps?["alert"] as? [String: String])?["body"]
    }
    #expect(try [body(kim), body(lee)] == ["Mr Kim: 10000", "Name of lee: 20"])
  }

  @Test func `it is there for whom it was meant, whatever became of the push`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    var fault = Fault(.answer)
    fault.reason = "BadCollapseId"
    try world.simulator.add(fault)
    for audience in [#"{"all":true}"#, #"{"clientUids":["kim"]}"#] {
      let seqno = try world.send(audience, Self.keep)
      #expect(try world.finished(seqno).int("rejected") == 1)
      #expect(seqnos(try inbox(world, kim)).first == seqno)
    }
    // Who does not want advertising has none in the inbox either.
    let sent = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"(광고) B","kind":"ad"\#(Self.keep)}"#)
    let ad = try #require(sent.string("seqno"), "\(sent.text)")
    _ = try world.finished(ad)
    #expect(!seqnos(try inbox(world, kim)).contains(ad))
  }

  // MARK: Read

  @Test func `read on one device it is read on all, from the push and from the inbox, and the count moves once`() throws
  {
    let world = try World()
    let one = try phone(world, "d1", Self.tokens[0], user: "kim")
    let two = try phone(world, "d2", Self.tokens[1], user: "kim")
    let badge = #","badge":{"increment":1}"#
    let first = try world.send(#"{"all":true}"#, Self.keep + badge)
    let second = try world.send(#"{"clientUids":["kim"]}"#, Self.keep + badge)
    for seqno in [first, second] { _ = try world.finished(seqno) }
    let byPush = try world.read(first, one.token).result
    #expect(byPush["status"] as? String == "recorded" && byPush["badge"] as? Int == 1)
    for phone in [one, two] {
      let seen = try inbox(world, phone)
      #expect(isRead(seen, first) == true && isRead(seen, second) == false && seen.int("unread") == 1, "\(seen.text)")
    }
    // A device that came later, and never had the push; somebody has vouched for it.
    let three = try phone(world, "d3", Self.tokens[2], user: "kim")
    try world.connection.script("UPDATE devices SET identity = 1 WHERE device = '\(three.id)'")
    let entry = try #require(items(try inbox(world, three)).first)
    let byEntry = try read(world, entry, on: three)
    #expect(byEntry["status"] as? String == "recorded" && byEntry["badge"] as? Int == 0, "\(byEntry)")
    #expect(try inbox(world, one).int("unread") == 0)
    let again = try read(world, entry, on: three)
    #expect(again["status"] as? String == "recorded" && again["badge"] as? Int == 0, "\(again)")
    // Another device of the person reads its push: its delivery is read, and the count has moved before.
    let late = try world.read(second, two.token).result
    #expect(late["status"] as? String == "recorded" && late["badge"] as? Int == 0, "\(late)")
    let funnel = try world.funnel(second)
    #expect(funnel.int("accepted") == 2 && funnel.int("received") == 1 && funnel.int("read") == 1, "\(funnel.text)")
  }

  @Test func `an SDK's call reads the entry too`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    _ = try world.finished(seqno)
    let sdk = SDKClient(port: world.port, appID: World.appID, psid: kim.token, deviceID: "d1")
    let form = ["SEQNO": seqno, "pushkey": try world.pushkey(seqno, kim.token), "PSID": kim.token]
    #expect(try sdk.send("rcv_register_send_result.ctl", form).isOK)
    #expect(isRead(try inbox(world, kim), seqno) == true)
  }

  @Test func `sent again it is the same entry, and the second push reads it`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    let first = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    _ = try world.finished(first)
    let reply = try world.control("resend", first, #"{"to":"not-read"}"#)
    let second = try #require(reply.string("seqno"), "\(reply.text)")
    #expect(try world.finished(second).int("accepted") == 1)
    #expect(seqnos(try inbox(world, kim)) == [first])
    // And once more.
    let once = try world.control("resend", second, #"{"to":"not-read"}"#)
    let third = try #require(once.string("seqno"), "\(once.text)")
    #expect(try world.finished(third).int("accepted") == 1)
    #expect(seqnos(try inbox(world, kim)) == [first])
    _ = try world.read(third, kim.token)
    #expect(isRead(try inbox(world, kim), first) == true)
  }

  @Test func `sent again to those who were left out as late, it comes into their inboxes`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    try world.connection.script("UPDATE devices SET bound_at = now() - interval '2 hours'")
    let due = (world.now + .seconds(3_600)).description
    let first = try world.send(#"{"all":true}"#, Self.keep + #","sendAt":"\#(due)""#)
    try world.connection.script(
      "UPDATE messages SET due_at = now() - interval '61 min', expires_at = now() + interval '1 day' WHERE state = 0")
    #expect(try world.finished(first).int("accepted") == 0)
    #expect(seqnos(try inbox(world, kim)) == [])
    let reply = try world.control("resend", first, #"{"to":"failed"}"#)
    let second = try #require(reply.string("seqno"), "\(reply.text)")
    #expect(try world.finished(second).int("accepted") == 1)
    let seen = try inbox(world, kim)
    #expect(seqnos(seen) == [first] && isRead(seen, first) == false, "\(seen.text)")
    _ = try world.read(second, kim.token)
    #expect(isRead(try inbox(world, kim), first) == true)
  }

  // MARK: The end

  @Test func `it stays when nothing is kept of the deliveries, and is still read`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, Self.keep + #","dbIn":false"#)
    _ = try world.finished(seqno)
    #expect(try world.number("SELECT count(*) FROM messages WHERE NOT keeps_history AND seqno = \(seqno)") == 1)
    try world.connection.script(
      "UPDATE messages SET forgotten_at = now() - interval '2 minutes' WHERE seqno = \(seqno)")
    _ = try poll("it was not forgotten") {
      try world.number("SELECT count(*) FROM messages WHERE emptied_at IS NOT NULL") == 1 ? true : nil
    }
    #expect(try world.number("SELECT count(*) FROM outcomes WHERE seqno = \(seqno)") == 0)
    let seen = try inbox(world, kim)
    let entry = try #require(items(seen).first, "\(seen.text)")
    #expect(alert(entry) == ["title": "T", "body": "B"])
    #expect(try read(world, entry, on: kim)["status"] as? String == "recorded")
    #expect(try inbox(world, kim).int("unread") == 0)
    #expect(try world.number("SELECT count(*) FROM reads WHERE seqno = \(seqno)") == 0)
  }

  @Test func `at its end it is gone, first from sight and then from the database`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    let over = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    let stays = try world.send(#"{"all":true}"#, Self.keep)
    for seqno in [over, stays] { _ = try world.finished(seqno) }
    #expect(try world.number("SELECT count(*) FROM inbox_entries") == 2)
    try world.connection.script(
      """
      UPDATE inbox_entries SET ends_at = now() - interval '2 minutes' WHERE seqno = \(over);
      UPDATE inbox_messages SET ends_at = now() - interval '2 minutes' WHERE seqno = \(over)
      """)
    #expect(seqnos(try inbox(world, kim)) == [stays])
    _ = try poll("entries that are over stay") {
      try world.number("SELECT (SELECT count(*) FROM inbox_entries) + (SELECT count(*) FROM inbox_messages)") == 2
        ? true : nil
    }
    #expect(seqnos(try inbox(world, kim)) == [stays])
  }

  // MARK: Whose it is

  @Test func `a guest's is the device's own, and ends when the device becomes a user's`() throws {
    let world = try World()
    let guest = try phone(world, "d1", Self.tokens[0], user: nil)
    let seqno = try world.send(#"{"all":true}"#, Self.keep)
    _ = try world.finished(seqno)
    #expect(seqnos(try inbox(world, guest)) == [seqno])
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim", authKey: guest.authKey)
    #expect(seqnos(try inbox(world, kim)) == [])
    let own = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    _ = try world.finished(own)
    #expect(seqnos(try inbox(world, kim)) == [own])
    let left = try world.client.call("DELETE", "/v1/devices/\(kim.id)/user", bearer: kim.authKey)
    #expect(left.status == 204)
    #expect(seqnos(try inbox(world, kim)) == [])
    #expect(try world.number("SELECT count(*) FROM inbox_entries WHERE user_key LIKE 'g%'") == 0)
  }

  @Test(arguments: [true, false])
  func `what a guest had is not the next one's, who comes with its DEVICE_ID`(leaves: Bool) throws {
    let world = try World()
    let guest = try phone(world, "d1", Self.tokens[0], user: nil)
    _ = try world.finished(try world.send(#"{"all":true}"#, #","inbox":"P365D","badge":{"set":3}"#))
    #expect(try inbox(world, guest).int("unread") == 1)
    if leaves {
      #expect(try world.client.call("DELETE", "/v1/devices/\(guest.id)", bearer: guest.authKey).status == 204)
      #expect(try world.number("SELECT count(*) FROM inbox_entries") == 0)
    } else {
      // As a device leaves whose token another one has.
      try world.connection.script("UPDATE devices SET state = 2")
    }
    let stranger = try phone(world, "d1", Self.tokens[1], user: nil)
    let seen = try inbox(world, stranger)
    #expect(stranger.id == guest.id && seqnos(seen) == [] && seen.int("unread") == 0, "\(seen.text)")
    let badge = try world.client.call("GET", "/v1/devices/\(stranger.id)/badge", bearer: stranger.authKey)
    #expect(badge.int("badge") == 0, "\(badge.text)")
  }

  @Test func `a device that had to give way to another sees nothing of the user`() throws {
    let world = try World()
    let set = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"devicePolicy":"single"}"#)
    #expect(set.string("devicePolicy") == "single", "\(set.text)")
    let old = try phone(world, "d1", Self.tokens[0], user: "kim")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    _ = try world.finished(seqno)
    let new = try poll("the policy is not known yet") { () -> Phone? in
      let new = try phone(world, "d2", Self.tokens[1], user: "kim")
      return try world.number("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 1 ? new : nil
    }
    #expect(seqnos(try inbox(world, old)) == [])
    let own = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    _ = try world.finished(own)
    #expect(seqnos(try inbox(world, new)) == [own])
    #expect(seqnos(try inbox(world, old)) == [])
  }

  @Test func `whom nobody vouches for sees nothing from before it named the user`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    let old = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    _ = try world.finished(old)
    let stranger = try phone(world, "d2", Self.tokens[1], user: "kim")
    let nothing = try inbox(world, stranger)
    #expect(seqnos(nothing) == [] && nothing.int("unread") == 0, "\(nothing.text)")
    let new = try world.send(#"{"all":true}"#, Self.keep)
    _ = try world.finished(new)
    let seen = try inbox(world, stranger)
    #expect(seqnos(seen) == [new] && seen.int("unread") == 1, "\(seen.text)")
    #expect(seqnos(try inbox(world, kim)) == [new, old])
    // What is not in view makes no page shorter.
    #expect(seqnos(try inbox(world, stranger, "?limit=1")) == [new])
    // Somebody vouches for it: then it is kim's.
    try world.connection.script("UPDATE devices SET identity = 1")
    #expect(seqnos(try inbox(world, stranger)) == [new, old])
  }

  @Test func `where devices are proved, one that is not sees nothing of a user's`() throws {
    let world = try World(identity: .proof)
    let vouched = try world.client.call(
      "POST", "/v1/admin/users/kim/vouchers", bearer: world.apiKey, #"{"appId":"\#(World.appID)","expiresIn":"PT15M"}"#)
    #expect(vouched.status == 201, "\(vouched.text)")
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, Self.keep)
    _ = try world.finished(seqno)
    #expect(seqnos(try inbox(world, kim)) == [seqno])
    // As devices are that were bound before the app asked for proofs.
    try world.connection.script("UPDATE devices SET identity = 0")
    let seen = try inbox(world, kim)
    #expect(seqnos(seen) == [] && seen.int("unread") == 0, "\(seen.text)")
    for key in ["", "wrong", world.apiKey] {
      let refused = try world.client.call("GET", "/v1/devices/\(kim.id)/inbox", bearer: key)
      #expect(refused.status == 401, "\(refused.text)")
    }
  }

  @Test func `it is exported with the person, and erased with it`() throws {
    let world = try World()
    let kim = try phone(world, "d1", Self.tokens[0], user: "kim")
    _ = try phone(world, "d2", Self.tokens[1], user: "lee")
    let seqno = try world.send(#"{"all":true}"#, Self.keep)
    _ = try world.finished(seqno)
    let path = "/v1/admin/users/kim"
    let export = try world.client.call("GET", "\(path)/export?appId=\(World.appID)", bearer: world.apiKey)
    let kept = try #require((export["inbox"] as? [[String: Any]])?.first, "\(export.text)")
    #expect((kept["alert"] as? [String: String])?["body"] == "B" && kept["read_at"] is NSNull)
    let erased = try world.client.call("DELETE", "\(path)?appId=\(World.appID)", bearer: world.apiKey)
    #expect(erased.int("devices") == 1, "\(erased.text)")
    #expect(try world.number("SELECT count(*) FROM inbox_entries WHERE user_key = 'ukim'") == 0)
    #expect(try world.number("SELECT count(*) FROM inbox_entries WHERE user_key = 'ulee'") == 1)
    // The name may be somebody's again: nothing is left for it.
    let again = try phone(world, "d3", kim.token, user: "kim")
    #expect(seqnos(try inbox(world, again)) == [])
  }

  // MARK: What is refused

  @Test func `what cannot stay is refused, and says why`() throws {
    let world = try World()
    for (more, words) in [
      (#","inbox":"P90D","confidential":true"#, "never in an inbox"), (#","inbox":"P366D""#, "P365D"),
      (#","inbox":"PT59M""#, "PT1H"), (#","inbox":"90 days""#, "ISO 8601"), (#","inbox":90"#, "/inbox"),
    ] {
      let reply = try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"x"\#(more)}"#)
      #expect([400, 422].contains(reply.status) && reply.text.contains(words), "\(more): \(reply.text)")
      #expect(reply.text.contains("/inbox"), "\(more)")
    }
    #expect(try world.number("SELECT count(*) FROM messages") == 0)
  }

  @Test func `nor what shows nothing, or is confidential by its lane`() throws {
    let world = try World()
    func send(_ members: String) throws -> Reply {
      try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"inbox":"P1D",\#(members)}"#)
    }
    for silent in [#""contentAvailable":true"#, #""badge":{"set":3}"#] {
      let reply = try send(silent)
      #expect(reply.status == 422 && reply.text.contains("needs an alert"), "\(reply.text)")
    }
    let set = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"confidentialLanes":["urgent"]}"#)
    #expect(set.status == 200, "\(set.text)")
    let refused = try poll("the lane is not confidential yet") {
      let reply = try send(#""alert":"x","lane":"urgent""#)
      return reply.status == 202 ? nil : reply
    }
    #expect(refused.status == 422 && refused.text.contains("never in an inbox"), "\(refused.text)")
    #expect(try send(#""alert":"x""#).status == 202)
  }
}
