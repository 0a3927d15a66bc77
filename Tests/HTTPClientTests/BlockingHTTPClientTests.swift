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
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let address = try localAddress(listener)
    let descriptor = listener.release()
    let stoppers = try Inbox<EventLoop.Stopper>(capacity: 1)
    let thread = try Thread(name: "echo") {
      guard let loop = try? EventLoop(),
        let server = try? HTTPServer(loop: loop, listener: Socket(owning: descriptor), handler: Echo())
      else { return }
      _ = stoppers.offer(loop.stopper)
      loop.run()
      server.close()
    }
    let stopper = stoppers.receive(atMost: .patience).first
    let outcome = Result { try body(HTTPOrigin(host: "127.0.0.1", port: address.port)) }
    stopper?.stop()
    thread.join()
    try outcome.get()
  }

  private func localAddress(_ listener: borrowing Socket) throws -> SocketAddress {
    guard let address = listener.localAddress else { throw SystemError.last("getsockname") }
    return address
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
