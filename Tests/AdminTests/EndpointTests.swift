import Domain
import HTTPClient
import Operations
import Postgres
import Synchronization
import Testing

@testable import Admin

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
    #expect(text == #"{"seqno":null,"state":"dry-run","targeted":0,"unknown":[],"payloads":[],"refusals":[]}"#)
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

  @Test(arguments: ["2", "0", "-1", "x", "1.0", "99999999999999999999", "%31%20"])
  func `a number that names no message is 404`(seqno: String) throws {
    _ = try send()
    #expect(try world.call("GET", "/v1/admin/messages/\(seqno)", key: key).isProblem(.unknownMessage))
    #expect(try world.call("GET", "/v1/admin/messages/\(seqno)/deliveries", key: key).isProblem(.unknownMessage))
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
    #expect(first.hasSuffix(#""nextCursor":"00000000-0000-8000-8000-000000000100"}"#))
    let second = try world.call("GET", path + "?cursor=00000000-0000-8000-8000-000000000100", key: key).text
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

  @Test(arguments: [
    ("{}", "/appId"), (#"{"appId":"com.example.bank"}"#, "/name"),
    (#"{"appId":"com.example.bank","name":""}"#, "/name"),
    (#"{"appId":"com.example.bank","name":"a","parent":"x"}"#, "/parent"),
    (#"{"appId":"com.example.bank","name":"a","parent":1.5}"#, "/parent"),
    (#"{"appId":"com.example.bank","name":"a","color":"red"}"#, "/color"),
    (#"{"appId":"com.example.bank","name":"a\u0000"}"#, "/name"), (#"{"appId":5,"name":"a"}"#, "/appId"),
  ])
  func `a wrong field of a group is named`(body: String, pointer: String) throws {
    let response = try world.call("POST", "/v1/admin/groups", key: key, body)
    #expect(response.isProblem(.invalidField))
    #expect(response.text.contains("\"pointer\":\"\(pointer)\""))
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
