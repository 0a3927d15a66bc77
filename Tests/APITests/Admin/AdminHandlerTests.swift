import Domain
import HTTPClient
import Operations
import Postgres
import Testing

@testable import API

@Suite struct AdminHandlerTests {
  // MARK: Refusals, in their order

  @Test func `a path that is not there is 404, a wrong method 405 with Allow`() throws {
    let world = try AdminWorld()
    #expect(try world.call("GET", "/v1/admin/nothing").isProblem(.notFound))
    #expect(try world.call("GET", "/v1/admin/messages/1/nothing").isProblem(.notFound))
    let response = try world.call("DELETE", "/v1/admin/messages/1")
    #expect(response.isProblem(.methodNotAllowed))
    #expect(response.header("allow") == "GET, HEAD, PATCH, PUT")
    #expect(try world.call("DELETE", "/v1/admin/messages").header("allow") == "GET, HEAD, POST")
  }

  @Test func `without a key the answer asks for one`() throws {
    let world = try AdminWorld()
    for headers in [[], [(name: "Authorization", value: "Basic a2V5")], [(name: "Authorization", value: "Bearer")]] {
      let response = try world.call("GET", "/v1/admin/messages/1", headers: headers)
      #expect(response.isProblem(.noCredential))
      #expect(response.header("www-authenticate") == "Bearer")
    }
    let wrong = try world.call("GET", "/v1/admin/messages/1", key: "upmc_wrong")
    #expect(wrong.isProblem(.badCredential))
    #expect(wrong.header("www-authenticate") == "Bearer")
  }

  @Test func `the scheme is read in either case`() throws {
    let world = try AdminWorld()
    let headers = [(name: "Authorization", value: "bearer \(try world.key(.viewer))")]
    #expect(try world.call("GET", "/v1/admin/messages/1", headers: headers).isProblem(.unknownMessage))
  }

  @Test func `a key that may not, learns nothing of its body`() throws {
    let world = try AdminWorld()
    let viewer = try world.key(.viewer)
    #expect(try world.call("POST", "/v1/admin/messages", key: viewer, type: "text/plain", "x").isProblem(.forbidden))
  }

  @Test func `a body must say that it is JSON`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    for path in ["/v1/admin/messages", "/v1/admin/groups"] {
      for type in [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
        #expect(
          try world.call("POST", path, key: key, type: type, "{}").isProblem(.unsupportedMediaType), "\(type ?? "none")"
        )
      }
      for type in ["application/json", "application/json; charset=utf-8", "Application/JSON ;charset=utf-8"] {
        #expect(try world.call("POST", path, key: key, type: type, "{}").status == 400)
      }
    }
  }

  @Test func `a wrong body is a problem that names the field`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    let response = try world.call(
      "POST", "/v1/admin/messages", key: key,
      #"{"appId":"com.example.bank","audience":{"all":true},"alert":"hi","badge":{"set":1001}}"#)
    #expect(response.isProblem(.invalidField))
    #expect(
      response.text.contains(#""errors":[{"pointer":"/badge/set","detail":"must be a whole number from 1 to 1000"}]"#))
    for body in ["", "{", "[]", "null", "{}x"] {
      #expect(try world.call("POST", "/v1/admin/messages", key: key, body).isProblem(.malformed), "\(body)")
    }
  }

  @Test func `a key for another app is refused`() throws {
    let world = try AdminWorld()
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    let foreign = try world.key(.admin, app: "b")
    #expect(try world.call("POST", "/v1/admin/messages", key: foreign, AdminWorld.send).isProblem(.forbidden))
    #expect(
      try world.call("POST", "/v1/admin/messages", key: world.key(.sender, app: nil), AdminWorld.send).status == 202)
    #expect(try world.call("GET", "/v1/admin/messages/1", key: foreign).isProblem(.unknownMessage))
  }

  // MARK: Sizes

  @Test func `a body of 2 MB is taken, one of 5 MB refused`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    let users = (0..<10_000).map { "\"\(String(repeating: "u", count: 195))\($0)\"" }.joined(separator: ",")
    let body = "{\"appId\":\"com.example.bank\",\"audience\":{\"clientUids\":[\(users)]},\"alert\":\"hi\"}"
    let response = try world.call("POST", "/v1/admin/messages", key: key, body)
    #expect(response.status == 202)
    #expect(response.text.hasPrefix(#"{"seqno":"1","state":"queued","targeted":0,"unknown":["uuu"#))
    #expect(
      try world.call("POST", "/v1/admin/messages", key: key, String(repeating: " ", count: 5 << 20)).status == 413)
  }

  // MARK: Failures

  @Test func `without a database every request is 503 and says when to come back`() throws {
    let world = try AdminWorld(databaseURL: "postgresql:///nothing?host=/nonexistent")
    for _ in 1...2 {
      let response = try world.call("GET", "/v1/admin/messages/1", key: "upmc_x")
      #expect(response.isProblem(.databaseAway))
      #expect(response.header("retry-after") == "1")
    }
  }

  @Test func `the threads find a database again that was gone for a moment`() throws {
    let world = try AdminWorld()
    let key = try world.key(.viewer)
    for _ in 1...4 { #expect(try world.call("GET", "/v1/admin/messages/1", key: key).isProblem(.unknownMessage)) }
    try world.connection.script(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'upmc admin' AND datname = current_database()"
    )
    for _ in 1...4 { #expect(try world.call("GET", "/v1/admin/messages/1", key: key).isProblem(.unknownMessage)) }
  }

  @Test func `threads that have stopped take no more`() throws {
    let world = try AdminWorld()
    world.threads.stop()
    let response = try world.call("GET", "/v1/admin/messages/1", key: "upmc_x")
    #expect(response.isProblem(.busy))
    #expect(response.header("retry-after") == "1")
  }
}
