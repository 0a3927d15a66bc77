import Domain
import HTTPClient
import HTTPServer
@testable import Operations
import Postgres
import Store
import TestSupport
import Testing

@testable import API

@Suite struct AuditTests {
  /// What makes each changing route change something, in the order of the list, and the action that it leaves in the log.
  /// A route without a line here fails the test.
  private static let changes: [(route: String, target: String, body: String, action: String)] = [
    ("POST /v1/admin/apps", "/v1/admin/apps", #"{"appId":"com.example.new","name":"New"}"#, "app.create"),
    ("PATCH /v1/admin/apps/{appId}", "/v1/admin/apps/com.example.new", #"{"name":"Newer"}"#, "app.change"),
    ("POST /v1/admin/apps/{appId}/resume", "/v1/admin/apps/com.example.new/resume", "", "app.resume"),
    (
      "DELETE /v1/admin/apps/{appId}", "/v1/admin/apps/com.example.new?confirm=com.example.new", "", "app.delete"
    ),
    ("POST /v1/admin/apps/{appId}/restore", "/v1/admin/apps/com.example.new/restore", "", "app.restore"),
    (
      "PUT /v1/admin/credentials", "/v1/admin/credentials",
      #"{"appId":"com.example.bank","apnsKey":{"pem":"PEM","keyId":"ABCDE12345","teamId":"FGHIJ67890"}}"#,
      "credential.set"
    ),
    (
      "DELETE /v1/admin/credentials", "/v1/admin/credentials?appId=com.example.bank&pnsId=APNS", "",
      "credential.delete"
    ),
    ("POST /v1/admin/api-keys", "/v1/admin/api-keys", #"{"role":"viewer"}"#, "api-key.create"),
    ("DELETE /v1/admin/api-keys/{apiKeyId}", "/v1/admin/api-keys/2", "", "api-key.revoke"),
    (
      "POST /v1/admin/accounts", "/v1/admin/accounts", #"{"login":"kim@example.com","name":"Kim","role":"viewer"}"#,
      "account.create"
    ),
    ("PATCH /v1/admin/accounts/{accountId}", "/v1/admin/accounts/1", #"{"role":"operator"}"#, "account.change"),
    (
      "POST /v1/admin/apps/{appId}/client-key", "/v1/admin/apps/com.example.bank/client-key", "{}", "app.client-key"
    ),
    (
      "DELETE /v1/admin/apps/{appId}/client-key/former", "/v1/admin/apps/com.example.bank/client-key/former", "",
      "app.client-key.end"
    ),
    ("POST /v1/admin/accounts/{accountId}/link", "/v1/admin/accounts/1/link", "", "account.link"),
    ("POST /v1/admin/groups", "/v1/admin/groups", #"{"appId":"com.example.bank","name":"g"}"#, "group.create"),
    ("PATCH /v1/admin/groups/{groupSeq}", "/v1/admin/groups/1", #"{"name":"h"}"#, "group.change"),
    (
      "POST /v1/admin/groups/{groupSeq}/members", "/v1/admin/groups/1/members", #"{"clientUids":["kim"]}"#,
      "group.add-members"
    ),
    (
      "POST /v1/admin/groups/{groupSeq}/members/remove", "/v1/admin/groups/1/members/remove",
      #"{"clientUids":["kim"]}"#, "group.remove-members"
    ),
    ("DELETE /v1/admin/groups/{groupSeq}", "/v1/admin/groups/1", "", "group.delete"),
    (
      "PUT /v1/admin/users/{clientUid}/badge", "/v1/admin/users/kim/badge",
      #"{"appId":"com.example.bank","badge":5}"#, "user.badge"
    ),
    (
      "POST /v1/admin/quarantine/restore", "/v1/admin/quarantine/restore", #"{"appId":"com.example.bank","all":true}"#,
      "quarantine.restore"
    ),
    (
      "POST /v1/admin/tags", "/v1/admin/tags", #"{"appId":"com.example.bank","clientUids":["kim"],"add":["vip"]}"#,
      "tags.change"
    ),
    (
      "POST /v1/admin/segments", "/v1/admin/segments",
      #"{"appId":"com.example.bank","name":"s","conditions":{"member":true}}"#, "segment.create"
    ),
    ("PUT /v1/admin/segments/{segmentId}", "/v1/admin/segments/1", #"{"name":"t"}"#, "segment.change"),
    ("DELETE /v1/admin/segments/{segmentId}", "/v1/admin/segments/1", "", "segment.delete"),
    (
      "POST /v1/admin/audiences/csv", "/v1/admin/audiences/csv?appId=com.example.bank", "kim,Kim\n",
      "audience.upload"
    ),
    (
      "DELETE /v1/admin/audiences/csv/{csvId}", "/v1/admin/audiences/csv/1?appId=com.example.bank", "",
      "audience.delete"
    ),
    (
      "POST /v1/admin/templates", "/v1/admin/templates",
      #"{"appId":"com.example.bank","name":"n","message":{"alert":"hi"}}"#,
      "template.create"
    ),
    (
      "PUT /v1/admin/templates/{templateId}", "/v1/admin/templates/1", #"{"name":"m","message":{"alert":"hi"}}"#,
      "template.change"
    ),
    ("DELETE /v1/admin/templates/{templateId}", "/v1/admin/templates/1", "", "template.delete"),
    (
      "POST /v1/admin/drafts", "/v1/admin/drafts", #"{"appId":"com.example.bank","name":"n","message":{"alert":"hi"}}"#,
      "draft.create"
    ),
    (
      "PUT /v1/admin/drafts/{draftId}", "/v1/admin/drafts/2", #"{"name":"m","message":{"alert":"hi"}}"#, "draft.change"
    ),
    ("DELETE /v1/admin/drafts/{draftId}", "/v1/admin/drafts/2", "", "draft.delete"),
    (
      "POST /v1/admin/senders", "/v1/admin/senders",
      #"{"appId":"com.example.bank","name":"n","sender":"UMSUI","message":{"lane":"bulk"}}"#,
      "sender.create"
    ),
    (
      "PUT /v1/admin/senders/{senderId}", "/v1/admin/senders/3",
      #"{"name":"m","sender":"UMSUI","message":{"lane":"bulk"}}"#, "sender.change"
    ),
    ("DELETE /v1/admin/senders/{senderId}", "/v1/admin/senders/3", "", "sender.delete"),
    (
      "POST /v1/admin/imports", "/v1/admin/imports", #"{"appId":"com.example.bank","kind":"users"}"#, "import.begin"
    ),
    (
      "PUT /v1/admin/imports/{importId}/parts/{part}", "/v1/admin/imports/1/parts/1?last=true", "clientUid\nkim\n",
      "import.finish"
    ),
    (
      "POST /v1/admin/imports", "/v1/admin/imports", #"{"appId":"com.example.bank","kind":"users"}"#, "import.begin"
    ),
    ("POST /v1/admin/imports/{importId}/cancel", "/v1/admin/imports/2/cancel", "", "import.cancel"),
    ("POST /v1/admin/uploads", "/v1/admin/uploads?appId=com.example.bank", "GIF89a", "upload.create"),
    ("DELETE /v1/admin/uploads/{uploadId}", "/v1/admin/uploads/gif?appId=com.example.bank", "", "upload.delete"),
    (
      "PUT /v1/admin/apps/{appId}/test-groups", "/v1/admin/apps/com.example.bank/test-groups",
      #"{"groups":[{"name":"QA","clientUids":["kim"]}]}"#, "app.test-groups"
    ),
    ("POST /v1/admin/messages", "/v1/admin/messages", AdminWorld.send, "message.send"),
    ("POST /v1/admin/messages/{seqno}/pause", "/v1/admin/messages/1/pause", "", "message.pause"),
    ("PATCH /v1/admin/messages/{seqno}", "/v1/admin/messages/1", #"{"pace":{"perSecond":5}}"#, "message.pace"),
    ("POST /v1/admin/messages/{seqno}/resume", "/v1/admin/messages/1/resume", "", "message.resume"),
    ("POST /v1/admin/messages/{seqno}/cancel", "/v1/admin/messages/1/cancel", "", "message.cancel"),
    (
      "POST /v1/admin/messages/{seqno}/resend", "/v1/admin/messages/1/resend", #"{"to":"failed"}"#, "message.resend"
    ),
    (
      "PUT /v1/admin/apps/{appId}/ad-rules", "/v1/admin/apps/com.example.bank/ad-rules", #"{"label":""}"#,
      "app.ad-rules"
    ),
    (
      "POST /v1/admin/webhooks", "/v1/admin/webhooks",
      #"{"appId":"com.example.bank","url":"https://a.example","kinds":["sms.requested"]}"#, "webhook.create"
    ),
    ("PATCH /v1/admin/webhooks/{webhookId}", "/v1/admin/webhooks/1", #"{"renewSecret":true}"#, "webhook.change"),
    ("POST /v1/admin/webhooks/{webhookId}/test", "/v1/admin/webhooks/1/test", "", "webhook.test"),
    ("POST /v1/admin/webhooks/{webhookId}/replay", "/v1/admin/webhooks/1/replay", #"{"dead":true}"#, "webhook.replay"),
    ("DELETE /v1/admin/webhooks/{webhookId}", "/v1/admin/webhooks/1", "", "webhook.delete"),
    ("DELETE /v1/admin/users/{clientUid}", "/v1/admin/users/kim?appId=com.example.bank", "", "user.erase"),
  ]

  @Test func `every route that changes something writes exactly one entry, with who, what and from where`() throws {
    let routes = Set(
      Endpoint.ofAdmin.filter { ![.get, .head].contains($0.method) }
        .map { "\($0.method.rawValue) \($0.pattern)" })
    // Those of the session are tried with one in `SessionTests`, approvals in `ApprovalTests`; vouchers by people in
    // `AuditWalkTests`; channels, which are Apple's too, in `ChannelTests`. The other only counts.
    let elsewhere =
      routes.filter { route in
        ["/v1/admin/session", "/v1/admin/approvals", "/channels"].contains { route.contains($0) }
      }
      + [
        "POST /v1/admin/segment-counts", "POST /v1/admin/users/{clientUid}/vouchers",
        // An account without one cannot lose it; `SecondFactorTests` has one.
        "DELETE /v1/admin/accounts/{accountId}/second-factor",
        // It sends one and cancels another: two entries (`MessagePurposeTests`).
        "PUT /v1/admin/messages/{seqno}",
      ]
    #expect(routes.subtracting(elsewhere) == Set(Self.changes.map(\.route)))
    let world = try AdminWorld()
    let admin = try world.key(.admin, app: nil)
    try world.connection.script(
      """
      INSERT INTO api_keys (sha256, role, name) VALUES ('\\x01', 'viewer', 'old');
      UPDATE api_keys SET name = 'the admin' WHERE api_key = 1;
      INSERT INTO users (app, user_key) VALUES (1, 'ukim');
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, quarantined_at, quarantine_reason)
      VALUES ('00000000-0000-8000-8000-000000000001', 1, 'ukim', 1, 1, 1, 'ab', 'd', now(), now(), now(), now(), 'x');
      INSERT INTO hosted_files (name, app, suffix, type, bytes, part_bytes, sha256, created_at, expires_at)
      VALUES ('gif', 1, '.gif', 'image/gif', 6, 6, '', now(), now() + interval '1 day')
      """)
    for change in Self.changes {
      let before = try newest(world)
      let method = String(change.route.prefix { $0 != " " })
      let body = change.body.replacing("PEM", with: AdminWorld.apnsKey.replacing("\n", with: "\\n"))
      let answer = try world.call(
        method, change.target, key: admin,
        type: body.isEmpty || body == "GIF89a" ? nil : body.hasPrefix("{") ? "application/json" : "text/csv",
        body)
      #expect((200..<300).contains(answer.status), "\(change.route): \(answer.text)")
      let entries = try world.connection.run(
        Statement(
          "test-audit-\(before)",
          "SELECT actor, role, origin, request_id, action FROM audit_log WHERE entry > \(before)")
      )
      try #require(entries.count == 1, "\(change.route) wrote \(entries.count) entries")
      #expect(entries.text(0, 0) == "the admin" && entries.text(0, 1) == "admin" && entries.text(0, 2) == "127.0.0.1")
      #expect(entries.text(0, 3) == answer.header("x-request-id"))
      #expect(entries.text(0, 4) == change.action)
    }
  }

  private func newest(_ world: AdminWorld) throws -> Int64 {
    try world.connection.run(Statement("test-newest", "SELECT coalesce(max(entry), 0) FROM audit_log")).int64(0, 0)
  }

  @Test func `what changes nothing leaves no entry`() throws {
    let world = try AdminWorld()
    let admin = try world.key(.admin, app: nil)
    _ = try world.call("POST", "/v1/admin/messages", key: admin, AdminWorld.send)
    let pause = "/v1/admin/messages/1/pause"
    #expect(try world.call("POST", pause, key: admin, type: nil).status == 200)
    let before = try newest(world)
    #expect(try world.call("POST", pause, key: admin, type: nil).status == 200)
    #expect(try world.call("PATCH", "/v1/admin/apps/com.example.bank", key: admin, #"{"name":"Bank"}"#).status == 200)
    #expect(try world.call("POST", "/v1/admin/groups", key: admin, #"{"appId":"com.example.bank"}"#).status == 400)
    #expect(try newest(world) == before)
  }

  @Test func `an entry has the pace before, and the app of an account that was not asked for by name`() throws {
    let world = try AdminWorld()
    let admin = try world.key(.admin)
    _ = try world.call("POST", "/v1/admin/messages", key: admin, AdminWorld.send)
    for pace in [5, 7] {
      let body = #"{"pace":{"perSecond":\#(pace)}}"#
      #expect(try world.call("PATCH", "/v1/admin/messages/1", key: admin, body).status == 200)
    }
    let paces = try world.connection.run(
      Statement(
        "test-paces",
        "SELECT before::text, after::text FROM audit_log WHERE action = 'message.pace' ORDER BY entry"))
    try #require(paces.count == 2)
    #expect(paces.text(0, 0) == "{}" && paces.text(1, 0) == paces.text(0, 1) && paces.text(1, 1) != paces.text(1, 0))
    let account = #"{"login":"kim","name":"Kim","role":"viewer"}"#
    #expect(try world.call("POST", "/v1/admin/accounts", key: admin, account).status == 201)
    #expect(
      try world.audited("account.create") == [#"kim {"name":"Kim","role":"viewer","appId":"com.example.bank"}"#])
  }

  @Test(arguments: [
    "UPDATE audit_log SET actor = 'somebody else'", "DELETE FROM audit_log", "TRUNCATE audit_log",
  ])
  func `the log cannot be changed, not even with the server's own rights`(statement: String) throws {
    let world = try AdminWorld()
    #expect(throws: PostgresError.self) { try world.connection.script(statement) }
    #expect(try newest(world) > 0)
  }

  @Test func `the log is read newest first, by app, action, actor and object`() throws {
    let world = try AdminWorld()
    let admin = try world.key(.admin, app: nil)
    for name in ["a", "b", "c"] {
      _ = try world.call("POST", "/v1/admin/groups", key: admin, #"{"appId":"com.example.bank","name":"\#(name)"}"#)
    }
    func list(_ query: String, key: String? = nil) throws -> [String] {
      try world.call("GET", "/v1/admin/audit?\(query)", key: key ?? admin, type: nil).values(of: "object")
    }
    let actor = Caller.commandLine.name.replacing(" ", with: "%20")
    #expect(try list("action=group") == ["3", "2", "1"])
    #expect(try list("action=group.create&limit=2") == ["3", "2"])
    #expect(try list("action=grou").isEmpty)
    #expect(try list("action=group&object=2") == ["2"])
    #expect(try list("actor=\(actor)&action=app") == ["com.example.bank"])
    #expect(try list("appId=com.example.bank&action=group").count == 3)
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    #expect(try list("action=group", key: try world.key(.admin, app: "b")).isEmpty)
    #expect(try world.call("GET", "/v1/admin/audit", key: try world.key(.operator), type: nil).isProblem(.forbidden))
  }

  @Test func `the file of the audit log has all entries that were asked for, however far apart they are`() throws {
    // Between pieces nobody waits for the next look, not even where a search has found nothing to write.
    var times = StreamTimes()
    times.look = Duration.patience * 2
    let world = try AdminWorld(streamTimes: times)
    let admin = try world.key(.admin, app: nil)
    let action = "CASE WHEN n IN (1, 12000) OR n > 24000 THEN 'group.move' ELSE 'app.change' END"
    try world.connection.script(
      """
      INSERT INTO audit_log (actor, role, origin, request_id, action, object)
      SELECT 'kim' || n % 2, 'admin', '', '', \(action), n::text FROM generate_series(1, 27000) n
      """)
    func objects(_ query: String) throws -> [String] {
      let watcher = try Watcher(world, "/v1/admin/exports/audit?\(query)", key: admin)
      let text = String(decoding: try watcher.rest(), as: UTF8.self)
      #expect(try watcher.isWhole())
      return text.split(separator: "\r\n").dropFirst().map { line in
        String(line.split(separator: ",", omittingEmptySubsequences: false)[8])
      }
    }
    let latest = Array((24_001...27_000).reversed())
    #expect(try objects("action=group.move") == latest.map { String($0) } + ["12000", "1"])
    let even = latest.filter { $0.isMultiple(of: 2) }.map { String($0) }
    #expect(try objects("action=group.move&actor=kim0") == even + ["12000"])
    #expect(try objects("action=group&actor=kim1&object=1") == ["1"])
    #expect(try objects("action=grou").isEmpty)
    let foreign = try world.call("GET", "/v1/admin/exports/audit?appId=none&action=app", key: admin, type: nil)
    #expect(foreign.isProblem(.unknownApp), "\(foreign.text)")
  }

  @Test func `an entry about a file says what limited it, and of a person no more than the hash`() throws {
    let world = try AdminWorld()
    let admin = try world.key(.admin)
    _ = try world.call("POST", "/v1/admin/messages", key: admin, AdminWorld.send)
    for target in [
      "deliveries?seqno=1", "deliveries?seqno=1&status=failed&reason=gone", "deliveries?seqno=1&status=accepted",
      "audit", "audit?action=user&actor=lee&object=kim01",
    ] {
      let file = try world.call("GET", "/v1/admin/exports/\(target)", key: admin, type: nil)
      #expect(file.status == 200, "\(target): \(file.text)")
    }
    let rows = try world.connection.run(
      Statement(
        "test-export-filters",
        """
        SELECT coalesce(after::text, '-') FROM audit_log WHERE action IN ('export.deliveries', 'export.audit')
        ORDER BY entry
        """))
    let told = rows.map { rows.text($0, 0) }
    #expect(
      told == [
        "-", #"{"status":"failed","reason":"gone"}"#, #"{"status":"accepted"}"#, "-",
        #"{"action":"user","actor":"lee","object":"\#(PersonRights.trace("kim01"))"}"#,
      ])
  }

  @Test func `an entry says what kind of caller it is about`() throws {
    let world = try AdminWorld()
    let admin = try world.key(.admin, app: nil)
    let made = try world.call("POST", "/v1/admin/groups", key: admin, #"{"appId":"com.example.bank","name":"a"}"#)
    #expect(made.status == 201)
    try world.connection.run(AuditTrail.add(AuditTrail.Change("session.refuse", "x", app: nil), by: .nobody))
    let byAddress = Caller(role: .operator, app: nil, apiKey: nil)
    try world.connection.run(AuditTrail.add(AuditTrail.Change("address.did", "x", app: nil), by: byAddress))
    for role in [AuditLog.deviceRole, AuditLog.serverRole] {
      try world.connection.run(AuditLog.add(AuditLog.New(actor: "x", role: role, action: "\(role).did", object: "x")))
    }
    func by(_ action: String) throws -> [String] {
      try world.call("GET", "/v1/admin/audit?action=\(action)&limit=1", key: admin, type: nil).values(of: "by")
    }
    #expect(try by("group") == ["api-key"])
    #expect(try by("app") == ["command-line"])
    #expect(try by("session.refuse") == ["nobody"])
    #expect(try by("address.did") == ["address"])
    #expect(try by("device.did") == ["device"])
    #expect(try by("upmc.did") == ["server"])
  }
}
