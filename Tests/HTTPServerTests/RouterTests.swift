import Testing

@testable import HTTPServer

@Suite struct RouterTests {
  private static func router() -> Router<String> {
    var router = Router<String>()
    router.add(.get, "/", "root")
    router.add(.get, "/health", "health")
    router.add(.post, "/v1/devices", "register")
    router.add(.get, "/v1/devices/{device}", "device")
    router.add(.delete, "/v1/devices/{device}", "unregister")
    router.add(.put, "/v1/devices/{device}/groups/{groupSeq}", "join")
    router.add(.get, "/v1/devices/new", "new")
    router.add(.get, "/files/{name}/end", "end")
    router.add(.get, "/files/a/other", "other")
    router.add(.head, "/health/own", "own-head")
    router.add(.get, "/health/own", "own-get")
    return router
  }

  private func match(_ method: Method, _ path: String) -> String {
    switch Self.router().match(method, Array(path.utf8).span) {
    case .found(let endpoint, let parameters):
      switch endpoint {
      case "device", "unregister": "\(endpoint) \(parameters["device"])"
      case "join": "\(endpoint) \(parameters["device"]) \(parameters["groupSeq"])"
      case "end": "\(endpoint) \(parameters["name"])"
      default: endpoint
      }
    case .methodNotAllowed(let allow): "405 " + allow.map(\.rawValue).joined(separator: ",")
    case .notFound: "404"
    }
  }

  @Test(arguments: [
    (Method.get, "/", "root"), (.get, "", "root"), (.get, "/health", "health"), (.head, "/health", "health"),
    (.head, "/health/own", "own-head"), (.get, "/health/own", "own-get"),
    (.post, "/v1/devices", "register"), (.get, "/v1/devices/1", "device 1"), (.delete, "/v1/devices/1", "unregister 1"),
    (.put, "/v1/devices/a%20b/groups/%EC%9D%B4", "join a b 이"), (.put, "/v1/devices/a+b/groups/c", "join a+b c"),
    (.get, "/v1/devices/new", "new"), (.get, "/v1/devices/newer", "device newer"),
    (.get, "/files/a/other", "other"), (.get, "/files/a/end", "end a"), (.get, "/files/b/end", "end b"),
    (.get, "/v1/devices/", "404"), (.get, "/v1/devices/1/", "404"), (.get, "//health", "404"),
    (.get, "/health/", "404"),
    (.get, "/Health", "404"), (.get, "/v1", "404"), (.get, "/v1/devices/%ff", "404"), (.get, "*", "404"),
    (.get, "/files//end", "404"), (.get, "/files/b/other", "404"),
    (.post, "/health", "405 GET,HEAD"), (.get, "/v1/devices", "405 POST"), (.other, "/health", "405 GET,HEAD"),
    (.post, "/v1/devices/1", "405 DELETE,GET,HEAD"), (.options, "/", "405 GET,HEAD"),
    (.delete, "/v1/devices/new", "unregister new"),
  ])
  func `a path leads where it should`(_ method: Method, _ path: String, _ expected: String) {
    #expect(match(method, path) == expected)
  }

  @Test func `the methods of all patterns that fit a path are allowed together`() {
    #expect(match(.post, "/v1/devices/new") == "405 DELETE,GET,HEAD")
  }

  @Test func `it lists its routes`() {
    let routes = Self.router().routes
    #expect(routes.count == 11)
    #expect(routes[3].pattern == "/v1/devices/{device}")
    #expect(routes[3].method == .get)
    #expect(routes[3].endpoint == "device")
  }

  @Test func `405 names what is allowed`() {
    let response = Response.methodNotAllowed(allow: [.get, .head])
    #expect(response.status == .methodNotAllowed)
    #expect(response.headers.first?.0 == "Allow")
    #expect(response.headers.first?.1 == "GET, HEAD")
  }

  @Test func `a server routes its requests`() throws {
    let router = Self.router()
    let server = try TestServer { request, responder in
      switch router.match(request) {
      case .found(let endpoint, _): responder.send(Response(status: .ok, contentType: "text/plain", body: endpoint))
      case .methodNotAllowed(let allow): responder.send(.methodNotAllowed(allow: allow))
      case .notFound: responder.send(Response(status: .notFound))
      }
    }
    let peer = try server.connect()
    #expect(try peer.exchange("GET /v1/devices/7?x=y HTTP/1.1\r\nHost: a\r\n\r\n").body == "device")
    #expect(try peer.exchange("PUT /health HTTP/1.1\r\nHost: a\r\n\r\n").header("allow") == "GET, HEAD")
    #expect(try peer.exchange("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n").status == 404)
  }
}
