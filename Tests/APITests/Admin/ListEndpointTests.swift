import Domain
import HTTPClient
import Operations
import Postgres
import Testing

@testable import API

/// Lists and details over HTTP, on rows that are there as devices and sends leave them.
@Suite struct ListEndpointTests {
  let world: AdminWorld
  let admin: String

  init() throws {
    world = try AdminWorld()
    admin = try world.key(.admin, app: nil)
  }

  private func get(_ target: String, key: String? = nil) throws -> HTTPResponse {
    try world.call("GET", target, key: key ?? admin, type: nil)
  }

  /// Walks a list to its end. Each page keeps to its limit.
  private func walk(_ target: String, limit: Int, member: String) throws -> [String] {
    var found: [String] = []
    var cursor: String?
    repeat {
      let after = cursor.map { "&cursor=\($0)" } ?? ""
      let page = try get("\(target)\(target.contains("?") ? "&" : "?")limit=\(limit)\(after)")
      try #require(page.status == 200, "\(page.text)")
      let values = page.values(of: member)
      #expect(values.count <= limit)
      found += values
      cursor = page.values(of: "nextCursor").last
    } while cursor != nil
    return found
  }

  private func addPeople(_ count: Int) throws {
    try world.connection.script(
      """
      INSERT INTO users (app, user_key, name, badge)
      SELECT 1, 'uuser' || lpad(n::text, 4, '0'), 'Name ' || n, n % 10 FROM generate_series(1, \(count)) n;
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, app_version, bound_at,
        registered_at, created_at)
      SELECT ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'uuser' || lpad(n::text, 4, '0'), 1, 1, 1,
        lpad(n::text, 8, '0') || repeat('ab', 28), 'd' || n, '1.0', now(), now(), now()
      FROM generate_series(1, \(count)) n;
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, psid, 1, 1, device, now() FROM devices
      """)
  }

  // MARK: People

  @Test func `users and devices are walked page by page, each once`() throws {
    try addPeople(25)
    let users = try walk("/v1/admin/users?appId=com.example.bank", limit: 10, member: "clientUid")
    #expect(users.count == 25 && Set(users).count == 25 && users == users.sorted())
    let devices = try walk("/v1/admin/devices?appId=com.example.bank", limit: 7, member: "device")
    #expect(devices.count == 25 && Set(devices).count == 25)
    #expect(try walk("/v1/admin/users?appId=com.example.bank&prefix=user002", limit: 4, member: "clientUid").count == 6)
    #expect(try walk("/v1/admin/users?appId=com.example.bank&prefix=nobody", limit: 4, member: "clientUid").isEmpty)
    #expect(
      try walk("/v1/admin/devices?appId=com.example.bank&clientUid=user001", limit: 3, member: "device").count == 10)
  }

  @Test func `a token is shown by its beginning only, and found by it`() throws {
    try addPeople(3)
    let page = try get("/v1/admin/devices?appId=com.example.bank&psid=00000002")
    #expect(page.values(of: "device") == ["00000000-0000-8000-8000-000000000002"])
    #expect(page.values(of: "psidPrefix") == ["00000002"])
    let detail = try get("/v1/admin/devices/00000000-0000-8000-8000-000000000002")
    #expect(detail.status == 200 && !detail.text.contains("abab") && !page.text.contains("abab"))
    #expect(detail.values(of: "clientUid") == ["user0002"])
    #expect(try get("/v1/admin/devices?appId=com.example.bank&psid=0000000").isProblem(.invalidField))
    let whole = "00000002" + String(repeating: "ab", count: 28)
    #expect(try get("/v1/admin/devices?appId=com.example.bank&psid=\(whole)").values(of: "psidPrefix") == ["00000002"])
    // Nobody reads a token off by asking for longer and longer beginnings.
    for count in 9..<whole.count {
      let found = try get("/v1/admin/devices?appId=com.example.bank&psid=\(whole.prefix(count))")
      #expect(found.status == 200 && found.values(of: "device").isEmpty, "\(count) characters")
    }
    #expect(try get("/v1/admin/devices/x").isProblem(.unknownDevice))
    let foreign = try foreignKey()
    #expect(
      try get("/v1/admin/devices/00000000-0000-8000-8000-000000000002", key: foreign).isProblem(.unknownDevice))
    #expect(try get("/v1/admin/users?appId=com.example.bank", key: foreign).isProblem(.forbidden))
  }

  @Test func `a user shows its devices, and its badge is set and audited`() throws {
    try addPeople(2)
    let user = try get("/v1/admin/users/user0001?appId=com.example.bank")
    #expect(user.values(of: "badge").first == "1" && user.values(of: "device").count == 1)
    let path = "/v1/admin/users/user0001/badge"
    let set = try world.call("PUT", path, key: admin, #"{"appId":"com.example.bank","badge":7}"#)
    #expect(set.status == 200 && set.values(of: "badge").first == "7")
    for badge in [-1, 1001, 99_999_999] {
      let refused = try world.call("PUT", path, key: admin, #"{"appId":"com.example.bank","badge":\#(badge)}"#)
      #expect(refused.isProblem(.badgeOutOfRange))
    }
    #expect(
      try world.call("PUT", "/v1/admin/users/nobody/badge", key: admin, #"{"appId":"com.example.bank","badge":7}"#)
        .isProblem(.unknownUser))
    let entry = try get("/v1/admin/audit?action=user")
    #expect(entry.text.contains(#""before":{"badge":1},"after":{"badge":7}"#))
  }

  // MARK: Groups

  @Test func `groups are renamed, moved and deleted, but never below themselves`() throws {
    func make(_ name: String, _ parent: String = "null") throws -> String {
      let made = try world.call(
        "POST", "/v1/admin/groups", key: admin, #"{"appId":"com.example.bank","name":"\#(name)","parent":\#(parent)}"#)
      return try #require(made.values(of: "groupSeq").first)
    }
    func patch(_ group: String, _ body: String) throws -> HTTPResponse {
      try world.call("PATCH", "/v1/admin/groups/\(group)", key: admin, body)
    }
    let (top, other) = (try make("top"), try make("other"))
    let below = try make("below", top)
    let lowest = try make("lowest", below)
    #expect(try get("/v1/admin/groups?appId=com.example.bank").values(of: "name") == ["other", "top"])
    #expect(try get("/v1/admin/groups?appId=com.example.bank&parent=\(top)").values(of: "hasGroups") == ["true"])
    #expect(try patch(top, #"{"parent":\#(lowest)}"#).isProblem(.conflict))
    #expect(try patch(top, #"{"parent":\#(top)}"#).isProblem(.conflict))
    #expect(try patch(top, #"{"parent":99}"#).isProblem(.unknownGroup))
    #expect(try patch(below, #"{"parent":"\#(other)","name":"moved"}"#).values(of: "parent") == [other])
    #expect(try patch(below, #"{"parent":null,"name":"top"}"#).isProblem(.conflict))
    #expect(try patch(below, "{}").isProblem(.invalidField))
    #expect(try world.call("DELETE", "/v1/admin/groups/\(below)", key: admin, type: nil).isProblem(.conflict))
    #expect(try world.call("DELETE", "/v1/admin/groups/\(lowest)", key: admin, type: nil).status == 204)
    #expect(try world.call("DELETE", "/v1/admin/groups/\(lowest)", key: admin, type: nil).isProblem(.unknownGroup))
  }

  @Test func `groups of every level are found by a part of their name, with the names of the groups above`() throws {
    var parent = "null"
    for name in ["Korea", "Seoul", "Gangnam 100%"] {
      let made = try world.call(
        "POST", "/v1/admin/groups", key: admin, #"{"appId":"com.example.bank","name":"\#(name)","parent":\#(parent)}"#)
      parent = try #require(made.values(of: "groupSeq").first)
    }
    let path = "/v1/admin/groups?appId=com.example.bank"
    #expect(try get("\(path)&name=NG").values(of: "name") == ["Gangnam 100%"])
    #expect(try get("\(path)&name=ng").text.contains(#""above":["Korea","Seoul"]"#))
    #expect(try get("\(path)&name=0%25").values(of: "name") == ["Gangnam 100%"])
    #expect(try get("\(path)&name=%25x").text == #"{"items":[],"nextCursor":null}"#)
    let first = try get("\(path)&name=o&limit=1")
    #expect(first.values(of: "name") == ["Korea"] && first.text.contains(#""above":[]"#), "\(first.text)")
    let cursor = try #require(first.values(of: "nextCursor").first)
    let rest = try get("\(path)&name=o&limit=1&cursor=\(cursor)")
    #expect(rest.values(of: "name") == ["Seoul"] && rest.values(of: "nextCursor") == [], "\(rest.text)")
    let both = try world.call("GET", "\(path)&name=o&parent=1", key: admin, type: nil)
    #expect(both.isProblem(.invalidField))
  }

  @Test func `members are added, listed and removed; unknown users come back`() throws {
    try addPeople(12)
    let made = try world.call("POST", "/v1/admin/groups", key: admin, #"{"appId":"com.example.bank","name":"g"}"#)
    let path = "/v1/admin/groups/\(try #require(made.values(of: "groupSeq").first))/members"
    let users = (1...12).map { "\"user00\($0 < 10 ? "0" : "")\($0)\"" }.joined(separator: ",")
    let added = try world.call("POST", path, key: admin, #"{"clientUids":[\#(users),"nobody"]}"#)
    #expect(added.text == #"{"members":12,"unknown":["nobody"]}"#)
    #expect(try walk(path, limit: 5, member: "clientUid").count == 12)
    let removed = try world.call("POST", path + "/remove", key: admin, #"{"clientUids":["user0003"]}"#)
    #expect(removed.text == #"{"members":1,"unknown":[]}"#)
    #expect(try walk(path, limit: 5, member: "clientUid").count == 11)
    #expect(
      try world.call("POST", "/v1/admin/groups/99/members", key: admin, #"{"clientUids":["a"]}"#).isProblem(
        .unknownGroup))
  }

  // MARK: Messages

  @Test func `messages are listed newest first, by app, state, lane and time`() throws {
    try world.connection.script(
      """
      INSERT INTO messages (app, state, lane, request, request_sha256, created_at, expires_at, finished_at, targeted,
        frozen_at, planned)
      SELECT 1, CASE WHEN n % 5 = 0 THEN 7 ELSE 4 END, n % 3, json_build_object('alert', 'Message ' || n), '\\x00',
        '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', now(), now(), 10, now(), true
      FROM generate_series(1, 30) n;
      INSERT INTO message_totals (seqno, writer, accepted, rejected) SELECT seqno, 1, 6, 1 FROM messages;
      INSERT INTO message_totals (seqno, writer, accepted, read) SELECT seqno, 2, 1, 3 FROM messages;
      """)
    let all = try walk("/v1/admin/messages", limit: 8, member: "seqno")
    #expect(all == (1...30).reversed().map(String.init))
    let page = try get("/v1/admin/messages?limit=1")
    #expect(
      page.text.contains(
        #""alert":"Message 30","createdAt":"2026-01-01T00:30:00.000Z""#), "\(page.text)")
    #expect(page.text.contains(#""targeted":10,"pending":2,"accepted":7,"rejected":1"#))
    #expect(page.values(of: "read") == ["3"])
    #expect(try walk("/v1/admin/messages?state=failed", limit: 4, member: "seqno").count == 6)
    #expect(try walk("/v1/admin/messages?appId=com.example.bank&lane=urgent", limit: 4, member: "seqno").count == 10)
    let times = "from=2026-01-01T09:10:00%2B09:00&to=2026-01-01T00:20:00Z"
    #expect(try walk("/v1/admin/messages?\(times)", limit: 4, member: "seqno").count == 10)
    #expect(try get("/v1/admin/messages", key: try foreignKey()).text == #"{"items":[],"nextCursor":null}"#)
    for query in ["state=x", "lane=x", "from=x", "cursor=x", "limit=0", "appId=nope"] {
      #expect(try get("/v1/admin/messages?\(query)").status >= 400, "\(query)")
    }
  }

  @Test func `of a long alert lists show the beginning, and the message all of it`() throws {
    try world.connection.script(
      """
      INSERT INTO messages (app, state, lane, purpose, request, request_sha256, created_at, expires_at, finished_at,
        targeted, frozen_at, planned)
      SELECT 1, 4, 1, 0, json_build_object('alert', alert), '\\x00', now(), now(), now(), 10, now(), true FROM (VALUES
        (json_build_object('title', 'Terms', 'body', repeat('x', 20000))), (to_json(repeat('x', 20000))),
        (json_build_object('title', 'News', 'body', repeat('x', 1000)))) v(alert)
      """)
    for list in ["/v1/admin/messages", "/v1/admin/statistics/campaigns"] {
      let page = try get(list)
      #expect(page.status == 200 && page.text.contains(/"title" ?: ?"Terms", ?"body" ?: ?"x{200}"/), "\(page.text)")
      #expect(page.text.contains(/"alert":"x{200}"/))
      #expect(page.text.contains(/"title" ?: ?"News", ?"body" ?: ?"x{1000}"/))
    }
    #expect(try get("/v1/admin/messages/1").text.count > 20_000)
  }

  @Test func `failures of a message are listed by reason`() throws {
    try world.connection.script(
      """
      INSERT INTO messages (app, state, lane, request, request_sha256, created_at, expires_at)
      VALUES (1, 1, 1, '{}', '\\x00', now(), now());
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key, reason)
      SELECT 1, ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, now(),
        CASE n % 4 WHEN 0 THEN 2 WHEN 1 THEN 5 ELSE 1 END, 1, 'ukim',
        CASE n % 4 WHEN 0 THEN 'BadDeviceToken' WHEN 1 THEN 'gone' END
      FROM generate_series(1, 40) n
      """)
    let path = "/v1/admin/messages/1/failures"
    #expect(try walk(path, limit: 6, member: "device").count == 20)
    #expect(try walk(path + "?reason=gone", limit: 4, member: "device").count == 10)
    #expect(try get("/v1/admin/messages/2/failures").isProblem(.unknownMessage))
  }

  // MARK: Apps, credentials, keys

  @Test func `an app is made, changed and shown; each change is audited with before and after`() throws {
    let made = try world.call("POST", "/v1/admin/apps", key: admin, #"{"appId":"com.example.shop","name":"Shop"}"#)
    #expect(made.status == 201 && made.values(of: "clientKey").count == 1)
    let changed = try world.call(
      "PATCH", "/v1/admin/apps/com.example.shop", key: admin,
      #"{"name":"Store","timeZone":"Europe/Berlin","devicePolicy":"single","deviceSends":10}"#)
    #expect(changed.status == 200)
    let shown = try get("/v1/admin/apps/com.example.shop").text
    #expect(shown.contains(#""name":"Store","timeZone":"Europe/Berlin""#))
    #expect(shown.contains(#""devicePolicy":"single""#))
    #expect(try walk("/v1/admin/apps", limit: 1, member: "appId") == ["com.example.bank", "com.example.shop"])
    let audit = try get("/v1/admin/audit?action=app.change").text
    #expect(audit.contains(#""before":{"name":"Shop","timeZone":"Asia/Seoul","devicePolicy":"multi","#))
    #expect(audit.contains(#""deviceSends":0,"#) && audit.contains(#""deviceSends":10,"#))
    for body in ["{}", #"{"timeZone":"Moon"}"#, #"{"devicePolicy":"one"}"#, #"{"deviceSends":1001}"#, #"{"name":""}"#] {
      #expect(
        try world.call("PATCH", "/v1/admin/apps/com.example.shop", key: admin, body).isProblem(.invalidField), "\(body)"
      )
    }
    let scoped = try world.key(.admin)
    #expect(try world.call("POST", "/v1/admin/apps", key: scoped, #"{"appId":"c","name":"c"}"#).isProblem(.forbidden))
    #expect(try walk("/v1/admin/apps", limit: 5, member: "appId").count == 2)
    #expect(try get("/v1/admin/apps", key: scoped).values(of: "appId") == ["com.example.bank"])
  }

  @Test func `a credential goes in, is listed without its secret, and is deleted`() throws {
    let path = "/v1/admin/credentials"
    let pem = AdminWorld.apnsKey.replacing("\n", with: "\\n")
    let body = #"{"appId":"com.example.bank","apnsKey":{"pem":"\#(pem)","keyId":"ABCDE12345","teamId":"FGHIJ67890"}}"#
    #expect(try world.call("PUT", path, key: admin, body).status == 200)
    let listed = try get(path).text
    #expect(listed.contains(#""appId":"com.example.bank","pnsId":"APNS","kind":"apns-key""#))
    #expect(listed.contains(#""keyId": "ABCDE12345""#) && !listed.contains("PRIVATE"))
    let other = body.replacing("ABCDE12345", with: "ZYXWV98765")
    #expect(try world.call("PUT", path, key: admin, other).status == 200)
    let log = try get("/v1/admin/audit?action=credential.set").text
    #expect(log.contains(#""before":{"kind":"apns-key","shown":{"#) && log.contains("ABCDE12345"), "\(log)")
    #expect(try !get("/v1/admin/audit").text.contains("PRIVATE"))
    let gone = path + "?appId=com.example.bank&pnsId=APNS"
    #expect(try world.call("DELETE", gone, key: admin, type: nil).status == 204)
    #expect(try world.call("DELETE", gone, key: admin, type: nil).isProblem(.notFound))
    #expect(try get(path).text == #"{"items":[],"nextCursor":null}"#)
    #expect(try world.call("PUT", path, key: admin, #"{"appId":"com.example.bank"}"#).isProblem(.impossible))
  }

  @Test func `a key is made for a role and an app, listed without itself, and opens nothing once revoked`() throws {
    let made = try world.call(
      "POST", "/v1/admin/api-keys", key: admin, #"{"role":"sender","appId":"com.example.bank","name":"CRM"}"#)
    let key = try #require(made.values(of: "apiKey").first)
    #expect(made.status == 201)
    #expect(try get("/v1/admin/messages", key: key).status == 200)
    let listed = try get("/v1/admin/api-keys?appId=com.example.bank").text
    #expect(listed.contains(#""name":"CRM","role":"sender","appId":"com.example.bank""#) && !listed.contains(key))
    let number = try #require(try get("/v1/admin/api-keys?appId=com.example.bank").values(of: "apiKeyId").last)
    #expect(try world.call("DELETE", "/v1/admin/api-keys/\(number)", key: admin, type: nil).status == 200)
    #expect(try get("/v1/admin/messages", key: key).isProblem(.badCredential))
    // An admin of one app neither sees nor ends keys of others.
    let scoped = try world.key(.admin)
    #expect(try world.call("DELETE", "/v1/admin/api-keys/1", key: scoped, type: nil).isProblem(.notFound))
    #expect(
      try world.call("POST", "/v1/admin/api-keys", key: scoped, #"{"role":"admin"}"#).isProblem(.forbidden))
  }

  private func foreignKey() throws -> String {
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    return try world.key(.admin, app: "b")
  }
}

extension HTTPResponse {
  /// The values of all members of this name, texts without their quotes, in the order they stand; null is left out.
  func values(of member: String) -> [String] {
    text.ranges(of: "\"\(member)\":").compactMap { range in
      let rest = text[range.upperBound...]
      if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
      let value = rest.prefix { $0 != "," && $0 != "}" && $0 != "]" }
      return value == "null" ? nil : String(value)
    }
  }
}
