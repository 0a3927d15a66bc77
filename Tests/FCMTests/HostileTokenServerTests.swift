import Domain
import FCM
import PushTransport
import Reactor
import Simulator
import TestSupport
import TestTier
import Testing

/// Whatever a token server does to one service account, it does not delay another one's pushes.
@Suite(.slow, .serialized) struct HostileTokenServerTests {
  private static let hostile = PushRoute(app: 8, network: .fcm, environment: .production)

  /// A second app whose service account gets its tokens at another address.
  private func equip(_ harness: Harness, tokenURL: String) throws {
    let file = try ServiceAccountFile(projectID: "hostile-project")
    harness.sender.set(try harness.credential(file, tokenURL: tokenURL), for: Self.hostile.app)
  }

  enum Flood: String, CaseIterable {
    case announcements, nothing, header, extensions

    var opening: String { self == .extensions ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" : "" }

    var piece: String {
      switch self {
      case .announcements: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000)
      case .nothing: ""
      case .header: "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 60_000)
      case .extensions: "1;" + String(repeating: "x", count: 8_000) + "\r\nx\r\n"
      }
    }
  }

  @Test(arguments: Flood.allCases)
  func `a token server that floods or says nothing harms its own app only`(_ kind: Flood) throws {
    let flood = try FloodServer(opening: Array(kind.opening.utf8), piece: Array(kind.piece.utf8))
    // Who waited for the end of the request for a token would wait in vain.
    let harness = try Harness { $0.tokenTimeout = Duration.patience * 2 }
    #expect(try harness.deliver(["f1:APA91b1"]) == [.accepted])
    try equip(harness, tokenURL: "http://127.0.0.1:\(flood.address.port)/token")
    // Offered and not waited for: it has no access token yet.
    #expect(try harness.offer(["f1:APA91b1"], route: Self.hostile))
    _ = try poll("the token server was not asked") { flood.connections > 0 ? true : nil }
    let names = (0..<50).map { "f\($0):APA91b\($0)" }
    for seqno in Int64(100)..<110 {
      #expect(try harness.deliver(names, harness.makeMessage(seqno: seqno)).allSatisfy { $0 == .accepted })
    }
    #expect(!flood.isOver, "the others waited for the end of it")
  }

  @Test(arguments: [
    ("dies at once", #"{"access_token":"x","expires_in":0}"#), ("is dead", #"{"access_token":"x","expires_in":-5}"#),
    ("lives a minute", #"{"access_token":"x","expires_in":60}"#),
    ("lives for ever", #"{"access_token":"x","expires_in":999999999999999999}"#),
    ("has no end", #"{"access_token":"x"}"#),
    ("is 60,000 bytes long", #"{"access_token":"\#(String(repeating: "x", count: 60_000))","expires_in":3600}"#),
    ("is no token", #"{"access_token":"a\r\nb","expires_in":3600}"#),
  ]) func `a token that is none is not asked for again and again`(_ name: String, _ body: String) throws {
    let answer =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let server = try FloodServer(opening: Array((answer + body).utf8), piece: [])
    let harness = try Harness()
    #expect(try harness.deliver(["f1:APA91b1"]) == [.accepted])
    let began = SystemClock().now
    try equip(harness, tokenURL: "http://127.0.0.1:\(server.address.port)/token")
    for seqno in Int64(100)..<140 {
      _ = try harness.offer(["f1:APA91b1"], route: Self.hostile)
      #expect(try harness.deliver(["f1:APA91b1"], harness.makeMessage(seqno: seqno)) == [.accepted])
    }
    _ = try poll("the token server was not asked") { server.connections > 0 ? true : nil }
    let asked = server.connections
    let passed = SystemClock().now - began
    #expect(asked <= Self.most(within: passed), "\(name): asked \(asked) times in \(passed)")
  }

  /// How often a token server may be asked within a time: when it gives none, with pauses as short as chance makes
  /// them, and when its tokens are due for renewal at once, with the pause after a new one.
  private static func most(within time: Duration) -> Int {
    var (asked, next, backOff) = (1, Duration.zero, BackOff())
    while true {
      next += backOff.failed(jitter: 0)
      if next > time { break }
      asked += 1
    }
    return max(3, asked, 1 + Int(time.components.seconds / FCM.Limits.tokenChangeSeconds))
  }

  @Test func `a name server that is silent about one customer's token server harms its own app only`() throws {
    let bell = try Wakeup()
    let ended = try Inbox<Void>(capacity: 1)
    let harness = try Harness {
      $0.wire.lookUp = { endpoint throws(SystemError) in
        if endpoint.host.hasPrefix("silent") {
          _ = bell.wait(atMost: .patience)
          _ = ended.offer(())
        }
        return try SocketAddress.resolve(host: "127.0.0.1", port: endpoint.port)
      }
    }
    defer { bell.signal() }
    harness.sender.set(nil, for: Harness.route.app)
    try equip(harness, tokenURL: "https://silent.example/token")
    #expect(try harness.offer(["f1:APA91b1"], route: Self.hostile))
    // Its first access token is asked for behind that name.
    harness.sender.set(try harness.credential(), for: Harness.route.app)
    #expect(try harness.deliver(["f1:APA91b1"]) == [.accepted])
    #expect(ended.count == 0, "the others waited for that name")
  }
}
