import Crypto
import Domain
import Foundation
import Operations
import Postgres
import TestTier
import TestSupport
import Testing
import Time

/// What a confidential message says reaches the phone and nobody else.
@Suite(.slow, .serialized) struct ConfidentialTests {
  /// Everything that the database holds of messages, approvals and events, as text.
  private func dump(_ world: World) throws -> String {
    try world.connection.run(
      Statement(
        "test-dump",
        """
        SELECT concat_ws(' ', (SELECT string_agg(to_jsonb(t)::text, ' ') FROM messages t),
          (SELECT string_agg(to_jsonb(t)::text, ' ') FROM approvals t),
          (SELECT string_agg(to_jsonb(t)::text, ' ') FROM events t),
          (SELECT string_agg(to_jsonb(t)::text, ' ') FROM audit_log t))
        """)
    ).text(0, 0)
  }

  private func sealed(_ world: World) throws -> Int64 {
    try world.count(
      "SELECT (SELECT count(sealed) FROM messages) + (SELECT count(sealed) FROM approvals) + (SELECT count(sealed) FROM events)"
    )
  }

  private func code(_ world: World, _ code: String, _ more: String = #","lane":"urgent""#, key: String? = nil) throws
    -> Reply
  {
    try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey, idempotencyKey: key,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":{"title":"Code","body":"It is \#(code)"}\#(more)}"#
    )
  }

  private func texts(_ world: World, _ token: String) throws -> [String] {
    try world.payloads(token).compactMap {
      (($0["aps"] as? [String: Any])?["alert"] as? [String: Any])?["body"] as? String
    }
  }

  /// Somebody who runs campaigns, signed in.
  private func person(_ login: String, _ world: World) throws -> TestClient.Session {
    let link = try ConsoleAccounts.create(
      login, name: login, role: .operator, appID: nil, by: .commandLine, on: world.connection, now: world.now)
    return try world.client.signIn(link.path)
  }

  /// Minutes later.
  private func waitForWipe(_ world: World) throws {
    _ = try poll("what was said is still there") {
      try world.connection.script("UPDATE messages SET finished_at = finished_at - interval '5 minutes'")
      return try sealed(world) == 0 ? true : nil
    }
  }

  @Test func `a code sent in the urgent lane of a new app arrives, stands nowhere, and is wiped`() throws {
    let world = try World()
    try world.register("d0", token: World.token("a0"), user: "kim")
    let seqno = try #require(try code(world, "918273").string("seqno"))
    _ = try world.finished(seqno)
    #expect(try texts(world, World.token("a0")) == ["It is 918273"])
    #expect(try sealed(world) == 1)
    #expect(try !dump(world).contains("918273"))
    for role in [Role.viewer, .sender, .admin] {
      let key = try Administration.createKey(role, appID: nil, by: .commandLine, on: world.connection).apiKey
      for path in ["/v1/admin/messages/\(seqno)", "/v1/admin/messages?appId=\(World.appID)"] {
        let reply = try world.client.call("GET", path, bearer: key)
        #expect(reply.status == 200 && !reply.text.contains("918273") && reply.text.contains(#""confidential":true"#))
      }
    }
    try waitForWipe(world)
    let again = try world.client.call(
      "POST", "/v1/admin/messages/\(seqno)/resend", bearer: world.apiKey, #"{"to":"not-read"}"#)
    #expect(again.status == 409 && again.string("type") == "upmc:content-wiped", "\(again.text)")
  }

  @Test func `a campaign says so itself, goes out in waves of work, and may be sent again until it is wiped`() throws {
    let world = try World()
    for number in 0..<3 { try world.register("d\(number)", token: World.token("a\(number)"), user: "user\(number)") }
    let seqno = try world.send(#"{"all":true}"#, #","confidential":true,"ext":"PRIVATE""#)
    _ = try world.finished(seqno)
    for number in 0..<3 { #expect(try texts(world, World.token("a\(number)")) == ["B"]) }
    #expect(try !dump(world).contains("PRIVATE"))
    let again = try world.client.call(
      "POST", "/v1/admin/messages/\(seqno)/resend", bearer: world.apiKey, #"{"to":"not-read"}"#)
    _ = try world.finished(try #require(again.string("seqno"), "\(again.text)"))
    #expect(try texts(world, World.token("a0")) == ["B", "B"])
    try waitForWipe(world)
  }

  @Test func `a repetition says the same each time, though the one before was wiped`() throws {
    let world = try World()
    try world.register("d0", token: World.token("a0"), user: "kim")
    let start = (world.now + .seconds(3_600)).description
    let until = (world.now + .seconds(10 * 86_400)).description.prefix(10)
    let first = try code(
      world, "555", #","confidential":true,"sendAt":"\#(start)","repeat":{"every":"day","until":"\#(until)"}"#)
    let seqno = try #require(first.string("seqno"), "\(first.text)")
    for _ in 1...2 {
      let next = try world.connection.run(
        Statement("test-next", "UPDATE messages SET due_at = now() WHERE state = 0 RETURNING seqno"))
      #expect(next.count == 1)
      _ = try world.finished(String(next.int64(0, 0)))
      try world.connection.script(
        "UPDATE messages SET finished_at = finished_at - interval '5 minutes' WHERE finished_at IS NOT NULL")
      _ = try poll("the one that is over was not wiped") {
        try sealed(world) == 1 ? true : nil
      }
    }
    #expect(try texts(world, World.token("a0")) == ["It is 555", "It is 555"])
    #expect(Int64(seqno) != nil)
  }

  @Test func `the same key is the same code, and the stored digest is of no use without the key`() throws {
    let world = try World()
    try world.register("d0", token: World.token("a0"), user: "kim")
    let seqno = try code(world, "111111", key: "k1").string("seqno")
    #expect(seqno != nil)
    #expect(try code(world, "111111", key: "k1").string("seqno") == seqno)
    #expect(try code(world, "222222", key: "k1").string("type") == "upmc:idempotency-conflict")
    let body =
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":{"title":"Code","body":"It is 111111"},"lane":"urgent"}"#
    let hash = SHA256.hash(Array(body.utf8)).map { ("0" + String($0, radix: 16)).suffix(2) }.joined()
    #expect(
      try world.count("SELECT count(*) FROM messages WHERE request_sha256 = '\\x\(hash)'") == 0)
    // The app changes its mind: what was sent stays sent.
    let change = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"confidentialLanes":[]}"#)
    #expect(change.status == 200 && change.text.contains(#""confidentialLanes":[]"#), "\(change.text)")
    _ = try poll("the setting did not arrive") {
      try code(world, "333333").text.isEmpty
        ? nil : try world.count("SELECT count(*) FROM messages WHERE request::text LIKE '%333333%'") > 0 ? true : nil
    }
    #expect(try code(world, "111111", key: "k1").string("seqno") == seqno)
  }

  @Test func `the short message has the text, the event's row has it sealed until it was told`() throws {
    let world = try World(webhookPauses: [1])
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver)
    try world.register("d0", token: World.token("a0"), user: "kim")
    let seqno = try #require(
      try code(world, "424242", #","lane":"urgent","sms":true,"fallback":{"after":"PT1S"}"#).string("seqno"))
    _ = try world.finished(seqno)
    let told = try poll("nobody asked for a short message") { receiver.told.first }
    #expect(told.data["body"] as? String == "It is 424242" && told.data["confidential"] as? Bool == true)
    #expect(try !dump(world).contains("424242"))
    try waitForWipe(world)
  }

  @Test func `whoever decides on it reads it, lists and others do not`() throws {
    let world = try World()
    for number in 0..<2 { try world.register("d\(number)", token: World.token("a\(number)"), user: "user\(number)") }
    let kim = try person("kim", world)
    let lee = try person("lee", world)
    #expect(
      try world.client.call(
        "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"approvalAbove":1}"#
      ).status == 200)
    let approval = try poll("nothing waits for a second person") {
      try world.client.call(
        "POST", "/v1/admin/messages",
        #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"SECRET","confidential":true}"#, session: kim
      ).string("approvalId")
    }
    #expect(try !dump(world).contains("SECRET"))
    #expect(try !world.client.call("GET", "/v1/admin/approvals", session: lee).text.contains("SECRET"))
    let viewer = try Administration.createKey(.viewer, appID: nil, by: .commandLine, on: world.connection).apiKey
    let path = "/v1/admin/approvals/\(approval)"
    #expect(try !world.client.call("GET", path, bearer: viewer).text.contains("SECRET"))
    #expect(try world.client.call("GET", path, session: lee).text.contains("SECRET"))
    let sent = try world.client.call("POST", "\(path)/approve", nil, session: lee)
    _ = try world.finished(try #require(sent.string("seqno"), "\(sent.text)"))
    #expect(try !dump(world).contains("SECRET"))
    #expect(try !world.client.call("GET", path, session: lee).text.contains("SECRET"))
    try waitForWipe(world)
  }

  @Test func `no body seals itself, none is less confidential than its lane, and none lies on a page`() throws {
    let world = try World()
    try world.register("d0", token: World.token("a0"), user: "kim")
    #expect(try code(world, "1", #","sealed":true"#).status == 400)
    let seqno = try #require(try code(world, "616161", #","lane":"urgent","confidential":false"#).string("seqno"))
    _ = try world.finished(seqno)
    #expect(try !dump(world).contains("616161"))
    let long = String(repeating: "x", count: 5_000)
    let refused = try code(world, "1", #","lane":"urgent","ext":"\#(long)""#)
    #expect(refused.status == 422 && refused.text.contains("does not move to a page"), "\(refused.text)")
    #expect(try world.count("SELECT count(*) FROM hosted_files") == 0)
  }

  @Test func `what the lines of a file say is not sealed, so it is no confidential text`() throws {
    let world = try World()
    try world.register("d0", token: World.token("a0"), user: "kim")
    let file = try world.client.call(
      "POST", "/v1/admin/audiences/csv?appId=\(World.appID)", bearer: world.apiKey, "CUID,NAME,VAR1\nkim,Kim,998877\n",
      type: "text/csv")
    let csv = try #require(file.string("csvId"), "\(file.text)")
    func send(_ text: String) throws -> Reply {
      try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","audience":{"csv":"\#(csv)"},"alert":"\#(text)","lane":"urgent"}"#)
    }
    let refused = try send("Your code is %VAR1%")
    #expect(refused.status == 422 && refused.text.contains("a file is not sealed"), "\(refused.text)")
    #expect(try send("The same for all, %CNAME%").status == 202)
  }
}
