import Domain
import Logging
import PushTransport
import Reactor
import Simulator
import Synchronization
import TLS
import TestSupport
import Testing
import Time

@testable import FCM

/// The access token when this machine's clock is set.
@Suite struct AccessTokensTests {
  /// The system's clock, whose wall jumps when a test says so.
  private final class JumpingClock: Clock {
    private let jump = Mutex(Duration.zero)
    private let leap = Mutex(Duration.zero)

    var now: Instant { SystemClock().now + leap.withLock { $0 } }
    var wallTime: Timestamp { SystemClock().wallTime + jump.withLock { $0 } }

    func forward(seconds: Int64) { jump.withLock { $0 += .seconds(seconds) } }

    /// The machine's own time goes on, as timers see it.
    func pass(_ time: Duration) { leap.withLock { $0 += time } }
  }

  private func tokens(_ url: String, _ loop: EventLoop, asked: @escaping () -> Void) throws -> AccessTokens {
    AccessTokens(
      try ServiceAccount(json: ServiceAccountFile(projectID: "p").json(tokenURI: TokenAddress.google)), url: url,
      loop: loop,
      wire: WireConfiguration(network: "fcm", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
      // No request is given up because the machine is busy.
      timeout: .patience,
      context: { () throws(TLSError) in throw TLSError(operation: "context", reason: "none is needed") },
      resolve: { _ in
        asked()
        return true
      })
  }

  /// Gives a token for an hour to whoever connects.
  private func tokenServer() throws -> FloodServer {
    let body = #"{"access_token":"token","expires_in":3600}"#
    return try FloodServer(
      opening: Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8), piece: [])
  }

  @Test func `an account that cannot be reached is asked for again only while an app names it`() throws {
    let clock = JumpingClock()
    let loop = try EventLoop(clock: clock)
    var (asked, isWanted) = (0, true)
    let tokens = try tokens("http://127.0.0.1:1/token", loop) { asked += 1 }
    tokens.isWanted = { isWanted }
    #expect(tokens.present() == nil && asked == 1)
    func fail() {
      tokens.resolved(.failure(SystemError(code: 113, operation: "resolve", subject: "localhost")))
      clock.pass(.seconds(120))
      loop.turn(atMost: .zero)
    }
    fail()
    #expect(asked == 2)
    isWanted = false
    fail()
    #expect(asked == 2)
    #expect(tokens.present() == nil && asked == 3, "whoever needs it asks for it")
    tokens.stop()
  }

  @Test func `a clock that jumps over the end of a new token has the next one asked for`() throws {
    let server = try tokenServer()
    let clock = JumpingClock()
    let loop = try EventLoop(clock: clock)
    let url = "http://127.0.0.1:\(server.address.port)/token"
    var asked = 0
    let tokens = try tokens(url, loop) { asked += 1 }
    #expect(tokens.present() == nil && asked == 1)
    tokens.resolved(.success([server.address]))
    _ = try poll("no access token came", every: .zero) { () -> String? in
      loop.turn(atMost: .milliseconds(10))
      return tokens.present()
    }
    #expect(tokens.present() == "token" && asked == 1)
    clock.forward(seconds: 3_400)
    #expect(tokens.present() == "token" && asked == 1, "it is new, and lives for 200 s")
    // Set back, it makes no token live longer.
    clock.forward(seconds: -10_000)
    #expect(tokens.present() == "token" && asked == 1)
    clock.forward(seconds: 10_400)
    #expect(tokens.present() == nil && asked == 2)
    tokens.stop()
    server.stop()
  }

  @Test func `one address that serves is enough, however many others of its name are out of service`() throws {
    let server = try tokenServer()
    let loop = try EventLoop()
    var asked = 0
    let tokens = try tokens("http://127.0.0.1:\(server.address.port)/token", loop) { asked += 1 }
    // The server does not listen there.
    let gone = try SocketAddress.resolve(host: "127.0.0.2", port: server.address.port)
    #expect(tokens.present() == nil && asked == 1)
    tokens.resolved(.success(Array(repeating: gone[0], count: 15) + [server.address]))
    _ = try poll("no access token came", every: .zero) { () -> Bool? in
      loop.turn(atMost: .milliseconds(10))
      return tokens.present() != nil || asked > 1 ? true : nil
    }
    #expect(tokens.present() == "token" && asked == 1, "the first attempt has found it")
    tokens.stop()
    server.stop()
  }
}
