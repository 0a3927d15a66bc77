import HTTPServer
import Reactor
import TestSupport
import Testing

@testable import HTTPClient

/// The client against the server of the house, each on its own thread.
@Suite struct BlockingHTTPClientTests {
  private final class Echo: RequestHandler {
    func handle(_ request: Request, _ responder: Responder) {
      if request.pathEquals("/stream") {
        let stream = responder.stream(status: .ok, headers: [])
        for _ in 0..<100 { stream?.write("0123456789") }
        stream?.finish()
      } else {
        let body = request.withBody { Array(copying: $0) }
        responder.send(Response(status: .ok, headers: [("X-Method", request.methodName)], body: body))
      }
    }
  }

  /// Runs `body` against a server that lives as long.
  private func withServer(_ body: (HTTPOrigin) throws -> Void) throws {
    let server = try ServerThread("echo") { Echo() }
    defer { server.stop() }
    try body(HTTPOrigin(host: "127.0.0.1", port: server.port))
  }

  @Test func `it waits for answers`() throws {
    try withServer { origin in
      var configuration = HTTPClient.Configuration()
      configuration.timeout = .patience
      let client = try HTTPClient.Blocking(origin, configuration: configuration)
      for size in [0, 1, 100_000, 1_000_000] {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let response = try client.send(HTTPRequest("POST", "/", body: body))
        #expect(response.status == 200)
        #expect(response.header("x-method") == "POST")
        #expect(response.body == body)
      }
      #expect(try client.send(HTTPRequest("HEAD", "/")).header("x-method") == "HEAD")
      #expect(try client.send(HTTPRequest("GET", "/stream")).body.count == 1_000)
      #expect(try client.send(HTTPRequest("GET", "//../")).status == 400)
      #expect(try client.send(HTTPRequest("GET", "/")).status == 200)
    }
  }

  @Test func `it throws what went wrong`() throws {
    // Nobody listens there, and nobody gets it who asks for any port.
    let client = try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: 9))
    #expect(throws: HTTPClientError.self) { try client.send(HTTPRequest("GET", "/")) }
    #expect(throws: HTTPClientError.refused("the request holds characters that HTTP does not allow")) {
      try client.send(HTTPRequest("GET", "no target"))
    }
  }
}
