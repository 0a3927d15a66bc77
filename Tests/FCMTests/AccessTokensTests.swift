import Domain
import Logging
import PushTransport
import Reactor
import Simulator
import Synchronization
import TLS
import TestSupport
import Testing

@testable import FCM

/// The access token when this machine's clock is set.
@Suite struct AccessTokensTests {
  /// The system's clock, whose wall jumps when a test says so.
  private final class JumpingClock: Clock {
    private let jump = Mutex(Int64(0))

    var now: Instant { SystemClock().now }
    var wallMicroseconds: Int64 { SystemClock().wallMicroseconds + jump.withLock { $0 } }

    func forward(seconds: Int64) { jump.withLock { $0 += seconds * 1_000_000 } }
  }

  @Test func `a clock that jumps over the end of a new token has the next one asked for`() throws {
    let body = #"{"access_token":"token","expires_in":3600}"#
    let server = try FloodServer(
      opening: Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8), piece: [])
    let clock = JumpingClock()
    let loop = try EventLoop(clock: clock)
    let url = "http://127.0.0.1:\(server.address.port)/token"
    var asked = 0
    let tokens = AccessTokens(
      try ServiceAccount(json: ServiceAccountFile(projectID: "p").json(tokenURI: TokenAddress.google)), url: url,
      loop: loop,
      wire: WireConfiguration(network: "fcm", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
      context: { () throws(TLSError) in throw TLSError(operation: "context", reason: "none is needed") },
      resolve: { _ in
        asked += 1
        return true
      })
    #expect(tokens.present() == nil && asked == 1)
    tokens.resolved(.success([server.address]))
    for _ in 0..<1_000 where tokens.present() == nil { loop.turn(atMost: .milliseconds(10)) }
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
}
