import Domain
import HTTPClient
import Operations
import Postgres
import Synchronization
import Testing

@testable import API

@Suite struct EndpointTests {
  let world: AdminWorld
  let key: String

  init() throws {
    world = try AdminWorld()
    key = try world.key(.operator)
  }

  private func send(_ body: String = AdminWorld.send, key idempotency: String? = nil) throws -> (Int, String) {
    let headers = idempotency.map { [(name: "Idempotency-Key", value: $0)] } ?? []
    let response = try world.call("POST", "/v1/admin/messages", key: key, headers: headers, body)
    return (response.status, response.text)
  }

  // MARK: Messages

  @Test func `a send is accepted with its number, and reported as stored`() throws {
    let (status, text) = try send()
    #expect(status == 202)
    #expect(text == #"{"seqno":"1","state":"queued","targeted":0,"unknown":[]}"#)
    #expect(world.committed.count.load(ordering: .sequentiallyConsistent) == 1)
  }

  @Test func `a dry run is 200 and stores nothing`() throws {
    let body = #"{"appId":"com.example.bank","audience":{"all":true},"alert":"hi","dryRun":true}"#
    let (status, text) = try send(body)
    #expect(status == 200)
    #expect(
      text == #"{"seqno":null,"state":"dry-run","targeted":0,"unknown":[],"payloads":[],"headers":{"topic":"#
        + #""com.example.bank","pushType":"alert","priority":10,"keptForDevice":true},"notes":["mutable-content is set, "#
        + #"because the app has an extension, which makes the receipt (its setting extension)."],"refusals":[]}"#)
    #expect(world.committed.count.load(ordering: .sequentiallyConsistent) == 0)
  }

  @Test func `the idempotency key comes in a header`() throws {
    let first = try send(key: "k-1")
    #expect(try send(key: "k-1") == first)
    #expect(try send(key: "k-2").1.contains(#""seqno":"2""#))
    let other = AdminWorld.send.replacing("hi", with: "ho")
    #expect(try send(other, key: "k-1").0 == 409)
    #expect(try send(key: "").0 == 400)
  }

  @Test func `a message shows its numbers, to no cache`() throws {
    _ = try send()
    let response = try world.call("GET", "/v1/admin/messages/1", key: key, type: nil)
    #expect(response.status == 200)
    #expect(response.header("content-type") == "application/json")
    #expect(response.header("cache-control") == "no-store")
    #expect(response.text.hasPrefix(#"{"seqno":"1","state":"queued","targeted":0,"pending":0,"#))
  }

  @Test func `a number that names no message is 404`() throws {
    _ = try send()
    for seqno in ["2", "0", "-1", "x", "1.0", "99999999999999999999", "%31%20"] {
      for path in ["/v1/admin/messages/\(seqno)", "/v1/admin/messages/\(seqno)/deliveries"] {
        #expect(try world.call("GET", path, key: key).isProblem(.unknownMessage), "\(path)")
      }
    }
  }

  @Test func `deliveries come in pages`() throws {
    _ = try send()
    try world.connection.script(
      """
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT 1, ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), 1, 1, 'ukim'
      FROM generate_series(1, 150) n
      """)
    let path = "/v1/admin/messages/1/deliveries"
    let first = try world.call("GET", path, key: key).text
    #expect(first.components(of: "\"device\"") == 100)
    let cursor = PageRequest.cursor(behind: "00000000-0000-8000-8000-000000000100")
    #expect(first.hasSuffix(#""nextCursor":"\#(cursor)"}"#))
    let second = try world.call("GET", path + "?cursor=\(cursor)", key: key).text
    #expect(second.components(of: "\"device\"") == 50)
    #expect(second.hasSuffix(#""nextCursor":null}"#))
    #expect(try world.call("GET", path + "?limit=3", key: key).text.components(of: "\"device\"") == 3)
    #expect(
      try world.call("GET", path + "?limit=1000&status=accepted", key: key).text.components(of: "\"device\"") == 150)
    #expect(try world.call("GET", path + "?status=rejected", key: key).text == #"{"items":[],"nextCursor":null}"#)
    for query in ["limit=0", "limit=1001", "limit=", "status=x", "cursor=x"] {
      #expect(try world.call("GET", "\(path)?\(query)", key: key).isProblem(.invalidField), "\(query)")
    }
  }

  // MARK: Groups

  @Test func `groups are made at the top and below, their parent as text or number`() throws {
    func make(_ body: String) throws -> (Int, String) {
      let response = try world.call("POST", "/v1/admin/groups", key: key, body)
      return (response.status, response.text)
    }
    #expect(try make(#"{"appId":"com.example.bank","name":"서울"}"#) == (201, #"{"groupSeq":"1"}"#))
    #expect(try make(#"{"appId":"com.example.bank","name":"a","parent":"1"}"#) == (201, #"{"groupSeq":"2"}"#))
    #expect(try make(#"{"appId":"com.example.bank","name":"b","parent":1}"#) == (201, #"{"groupSeq":"3"}"#))
    #expect(try make(#"{"appId":"com.example.bank","name":"c","parent":null}"#).0 == 201)
    #expect(try make(#"{"appId":"com.example.bank","name":"서울"}"#).0 == 409)
    #expect(try make(#"{"appId":"com.example.bank","name":"d","parent":99}"#).0 == 404)
    #expect(try make(#"{"appId":"nope","name":"d"}"#).0 == 404)
  }

  private func expectRefusals(_ path: String, _ refused: [(body: String, pointer: String)]) throws {
    for (body, pointer) in refused {
      let response = try world.call("POST", path, key: key, body)
      #expect(response.isProblem(.invalidField), "\(body)")
      #expect(response.text.contains("\"pointer\":\"\(pointer)\""), "\(body)")
    }
  }

  @Test func `a wrong field of a group is named`() throws {
    try expectRefusals(
      "/v1/admin/groups",
      [
        ("{}", "/appId"), (#"{"appId":"com.example.bank"}"#, "/name"),
        (#"{"appId":"com.example.bank","name":""}"#, "/name"),
        (#"{"appId":"com.example.bank","name":"a","parent":"x"}"#, "/parent"),
        (#"{"appId":"com.example.bank","name":"a","parent":1.5}"#, "/parent"),
        (#"{"appId":"com.example.bank","name":"a","color":"red"}"#, "/color"),
        (#"{"appId":"com.example.bank","name":"a\u0000"}"#, "/name"), (#"{"appId":5,"name":"a"}"#, "/appId"),
      ])
  }

  // MARK: Quarantine

  private func putAside() throws {
    try world.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, quarantined_at, quarantine_reason, quarantine_seqno)
      SELECT ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'ukim', 1, 1, 1, repeat('ab', 32) || n,
        'd' || n, now(), now(), now(), '2026-12-24T00:00:00Z'::timestamptz + n * interval '1 second', 'BadDeviceToken', 1
      FROM generate_series(1, 3) n
      """)
  }

  @Test func `devices put aside are listed, and given back one by one or since a time`() throws {
    try putAside()
    let path = "/v1/admin/quarantine?appId=com.example.bank"
    let page = try world.call("GET", path + "&limit=2", key: key, type: nil)
    #expect(page.status == 200)
    #expect(page.text.hasPrefix(#"{"items":[{"device":"00000000-0000-8000-8000-000000000001","clientUid":"kim","#))
    let cursor = PageRequest.cursor(behind: "00000000-0000-8000-8000-000000000002")
    #expect(page.text.hasSuffix(#""nextCursor":"\#(cursor)"}"#))
    func restore(_ what: String) throws -> String {
      try world.call(
        "POST", "/v1/admin/quarantine/restore", key: key, #"{"appId":"com.example.bank",\#(what)}"#
      ).text
    }
    #expect(try restore(#""device":"00000000-0000-8000-8000-000000000001""#) == #"{"restored":1}"#)
    #expect(try restore(#""since":"2026-12-24T09:00:03+09:00""#) == #"{"restored":1}"#)
    #expect(try restore(#""all":true"#) == #"{"restored":1}"#)
    #expect(try world.call("GET", path, key: key).text == #"{"items":[],"nextCursor":null}"#)
    for query in ["", "?appId=com.example.bank&limit=0", "?appId=com.example.bank&cursor=x"] {
      #expect(try world.call("GET", "/v1/admin/quarantine\(query)", key: key).isProblem(.invalidField), "\(query)")
    }
    #expect(try world.call("GET", "/v1/admin/quarantine?appId=nope", key: key).isProblem(.unknownApp))
  }

  @Test func `a wrong field of a restoration is named`() throws {
    try expectRefusals(
      "/v1/admin/quarantine/restore",
      [
        (#"{"all":true}"#, "/appId"), (#"{"appId":"com.example.bank","all":false}"#, "/all"),
        (#"{"appId":"com.example.bank","device":"x"}"#, "/device"),
        (#"{"appId":"com.example.bank","since":"yesterday"}"#, "/since"),
        (#"{"appId":"com.example.bank","everyone":true}"#, "/everyone"),
      ])
  }

  @Test func `a restoration says whom, once`() throws {
    for body in [
      #"{"appId":"com.example.bank"}"#,
      #"{"appId":"com.example.bank","all":true,"since":"2026-12-24T00:00:00Z"}"#,
    ] {
      #expect(try world.call("POST", "/v1/admin/quarantine/restore", key: key, body).isProblem(.invalidField))
    }
  }

  @Test func `a paused app is resumed by an admin, and the dispatcher told`() throws {
    try world.connection.script("UPDATE apps SET paused_reason = 'because'")
    let admin = try world.key(.admin)
    let path = "/v1/admin/apps/com.example.bank/resume"
    let response = try world.call("POST", path, key: admin, type: nil)
    #expect(response.status == 200 && response.text.contains(#","pausedReason":null,"#))
    #expect(world.committed.count.load(ordering: .sequentiallyConsistent) == 1)
    #expect(
      try world.call("POST", "/v1/admin/apps/nope/resume", key: try world.key(.admin, app: nil)).isProblem(.unknownApp))
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
