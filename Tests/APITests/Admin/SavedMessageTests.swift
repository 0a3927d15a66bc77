import Domain
import HTTPClient
import Operations
import Postgres
import Testing

@testable import API

@Suite struct SavedMessageTests {
  private static let alert = #"{"alert":{"title":"Salary","body":"It is there."},"badge":{"increment":1},"sms":true}"#

  private func create(_ world: AdminWorld, _ kind: String, _ key: String, _ members: String) throws -> HTTPResponse {
    try world.call("POST", "/v1/admin/\(kind)s", key: key, #"{"appId":"com.example.bank",\#(members)}"#)
  }

  @Test(arguments: ["template", "draft", "sender"])
  func `it is kept, listed, shown, replaced and deleted, each in its own list`(kind: String) throws {
    let world = try AdminWorld()
    let key = try world.key(.operator)
    let sender = kind == "sender" ? #","sender":"UMSUI""# : ""
    let made = try create(world, kind, key, #""name":"Payday"\#(sender),"message":\#(Self.alert)"#)
    #expect(made.status == 201 && made.text.contains(#""message":\#(Self.alert)"#), "\(made.text)")
    #expect(made.text.hasPrefix(#"{"\#(kind)Id":"1","appId":"com.example.bank""#))
    let one = "/v1/admin/\(kind)s/1"
    let changed = try world.call("PUT", one, key: key, #"{"name":"Other"\#(sender),"message":{"alert":"x"}}"#)
    #expect(changed.status == 200 && changed.text.contains(#""name":"Other","message":{"alert":"x"}"#))
    let list = "/v1/admin/\(kind)s?appId=com.example.bank"
    #expect(try world.call("GET", list, key: key, type: nil).values(of: "name") == ["Other"])
    for other in ["template", "draft", "sender"] where other != kind {
      #expect(try world.call("GET", "/v1/admin/\(other)s/1", key: key, type: nil).isProblem(.notFound))
    }
    #expect(try world.call("DELETE", one, key: key, type: nil).status == 204)
    #expect(try world.call("GET", one, key: key, type: nil).isProblem(.notFound))
    #expect(try world.call("DELETE", one, key: key, type: nil).isProblem(.notFound))
  }

  @Test func `a list goes on page by page, and shows one app only`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin, app: nil)
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    for name in ["a", "b", "c"] { _ = try create(world, "draft", key, #""name":"\#(name)","message":{}"#) }
    _ = try world.call("POST", "/v1/admin/drafts", key: key, #"{"appId":"b","name":"foreign","message":{}}"#)
    let path = "/v1/admin/drafts?appId=com.example.bank&limit=2"
    let first = try world.call("GET", path, key: key, type: nil)
    #expect(first.values(of: "name") == ["a", "b"])
    let second = path + "&cursor=\(PageRequest.cursor(behind: "2"))"
    #expect(try world.call("GET", second, key: key, type: nil).values(of: "name") == ["c"])
    let foreign = try world.key(.operator, app: "b")
    #expect(try world.call("GET", path, key: foreign, type: nil).isProblem(.forbidden))
    for (method, body) in [("GET", ""), ("PUT", #"{"name":"x","message":{}}"#), ("DELETE", "")] {
      let answer = try world.call(method, "/v1/admin/drafts/1", key: foreign, type: "application/json", body)
      #expect(answer.isProblem(.notFound), "\(method): \(answer.text)")
    }
    #expect(try world.call("GET", path, key: key, type: nil).values(of: "name") == ["a", "b"])
  }

  @Test func `what could not be sent is no template, and the answer names the field`() throws {
    let world = try AdminWorld()
    let key = try world.key(.operator)
    for (kind, members, pointer) in [
      ("template", #""name":"n","message":{"alert":"x","badge":{"set":1001}}"#, "/message/badge/set"),
      ("template", #""name":"n","message":{"alert":"x","audience":{"all":true}}"#, "/message/audience"),
      ("template", #""name":"n","message":{"alert":"x","nobody":1}"#, "/message/nobody"),
      ("template", #""name":"","message":{"alert":"x"}"#, "/name"),
      ("template", #""name":"n","sender":"s","message":{"alert":"x"}"#, "/sender"),
      ("sender", #""name":"n","message":{"lane":"bulk"}"#, "/sender"),
      ("sender", #""name":"n","sender":"s","message":{"lane":"fast"}"#, "/message/lane"),
      ("draft", #""name":"n","message":[1]"#, "/message"),
      ("draft", #""name":"n""#, "/message"),
    ] {
      let answer = try create(world, kind, key, members)
      #expect(answer.status == 400 && answer.text.contains(#""pointer":"\#(pointer)""#), "\(members): \(answer.text)")
      #expect(answer.text.contains(#""detail":"\#(pointer) "#), "\(members): \(answer.text)")
    }
    #expect(try create(world, "draft", key, #""name":"n","message":{"half":"a mess"}"#).status == 201)
    let big = String(repeating: "x", count: 65_536 - 12)
    #expect(try create(world, "draft", key, #""name":"n","message":{"alert":"\#(big)"}"#).status == 201)
    let bigger = try create(world, "draft", key, #""name":"n","message":{"alert":"\#(big)x"}"#)
    #expect(bigger.status == 400, "\(bigger.text)")
  }

  @Test func `an app has a sender once`() throws {
    let world = try AdminWorld()
    let key = try world.key(.operator)
    #expect(try create(world, "sender", key, #""name":"n","sender":"UMSUI","message":{}"#).status == 201)
    #expect(try create(world, "sender", key, #""name":"m","sender":"UMSUI","message":{}"#).isProblem(.conflict))
  }

  @Test func `a send takes from its template what it does not say itself, and keeps a copy`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    _ = try create(world, "template", key, #""name":"Payday","message":\#(Self.alert)"#)
    func send(_ members: String) throws -> HTTPResponse {
      let body = #"{"appId":"com.example.bank","audience":{"all":true},\#(members)}"#
      return try world.call("POST", "/v1/admin/messages", key: key, headers: [("Idempotency-Key", members)], body)
    }
    let sent = try send(#""template":"1","sms":false,"lane":"bulk""#)
    #expect(sent.status == 202, "\(sent.text)")
    #expect(try world.call("DELETE", "/v1/admin/templates/1", key: key, type: nil).status == 204)
    let stored = try world.connection.run(Statement("test-request", "SELECT request::text FROM messages")).text(0, 0)
    for part in [
      #""alert":{"title":"Salary","body":"It is there."}"#, #""badge":{"increment":1}"#, #""sms":false"#,
      #""lane":"bulk""#,
    ] {
      #expect(stored.contains(part), "\(stored)")
    }
    #expect(!stored.contains("template") && !stored.contains(#""sms":true"#))
    // The number names a template of this moment; another one is another request.
    #expect(try send(#""template":"1","sms":true"#).isProblem(.notFound))
    #expect(try send(#""template":true"#).status == 400)
    #expect(try send(#""alert":"the word \"template\" alone""#).status == 202)
  }

  @Test func `a template of another app is not there`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin, app: nil)
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    _ = try create(world, "template", key, #""name":"n","message":{"alert":"x"}"#)
    let body = #"{"appId":"b","audience":{"all":true},"template":1}"#
    #expect(try world.call("POST", "/v1/admin/messages", key: key, body).isProblem(.notFound))
  }
}
