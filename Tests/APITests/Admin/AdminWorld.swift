import Crypto
import Domain
import HTTPClient
import HTTPServer
import Metrics
import Operations
import Postgres
import Reactor
import Store
import Synchronization
import TestSupport
import Testing

@testable import API

/// The admin API on a real server, its threads on a real database, and a client; all on the test's own loop.
final class AdminWorld {
  let database: TestDatabase
  let connection: Connection
  let threads: AdminThreads
  let catalog: Catalog
  /// How many messages were reported as stored.
  let committed: Committed
  let loop: EventLoop
  let server: HTTPServer
  private let client: HTTPClient

  final class Committed: Sendable {
    let count = Atomic(0)
  }

  /// So few that a password is hashed in a fraction of a millisecond. What the product takes, `ConsoleSettingTests` know.
  private static let passwordRounds: UInt64 = 16

  /// - Parameters:
  ///   - databaseURL: another one than the test's own, for one that is away.
  ///   - isSecure: browsers reach it over HTTPS.
  ///   - isBehindProxy: whoever connects is a proxy that names its client.
  ///   - policy: the rules for signing in.
  ///   - identityProvider: where people sign in.
  init(
    databaseURL: String? = nil, isSecure: Bool = false, isBehindProxy: Bool = false,
    policy: ConsolePolicy = ConsolePolicy(), identityProvider: OpenIDProvider? = nil,
    streamTimes: StreamTimes = StreamTimes()
  ) throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    _ = try Administration.createApp(
      "com.example.bank", name: "Bank", timeZone: "Asia/Seoul", identity: .open, by: .commandLine, on: connection)
    let committed = Committed()
    self.committed = committed
    let catalog = try Catalog(seal: ContentSeal([SymmetricKey.random()]))
    self.catalog = catalog
    var policy = policy
    policy.passwordRounds = Self.passwordRounds
    var resources = AdminResources(
      databaseURL: databaseURL ?? database.url, catalog: catalog,
      console: ConsoleSetting(policy: policy, master: try MasterKey(bytes: MasterKey.makeBytes())))
    resources.hosting = ContentHosting(publicURL: "https://push.example.com")
    resources.isSecure = isSecure
    resources.provider = identityProvider
    resources.nodeState = {
      let metrics = Metrics()
      metrics.counter("a_total", "A.", ["kind": "x\"y"]).add(2)
      metrics.histogram("b_seconds", "B.", .latency).record(3_000_000)
      return NodeState(complaints: ["It rains."], samples: metrics.samples())
    }
    resources.messageCommitted = { committed.count.add(1, ordering: .sequentiallyConsistent) }
    threads = try AdminThreads(resources, threads: 2, streamTimes: streamTimes)
    loop = try EventLoop()
    let listener = try Socket.listen(on: try #require(SocketAddress.resolve(host: "127.0.0.1", port: 0).first))
    var engine = HTTPServer.Configuration()
    if isBehindProxy { engine.trustedProxies = [try #require(IPBlock("127.0.0.0/8"))] }
    server = try HTTPServer(loop: loop, listener: listener, configuration: engine, handler: AdminHandler(threads))
    var timeout = HTTPClient.Configuration()
    timeout.timeout = .patience
    client = HTTPClient(try HTTPOrigin(host: "127.0.0.1", port: server.port), loop: loop, configuration: timeout)
  }

  deinit {
    client.close()
    server.close()
    threads.stop()
  }

  /// An API key of a role, for the app or for all.
  func key(_ role: Role, app: String? = "com.example.bank") throws -> String {
    try Administration.createKey(role, appID: app, by: .commandLine, on: connection).apiKey
  }

  func call(
    _ method: String, _ target: String, key: String? = nil, type: String? = "application/json",
    headers: [(name: String, value: String)] = [], _ body: String = ""
  ) throws -> HTTPResponse {
    var all = headers
    if let key { all.append(("Authorization", "Bearer \(key)")) }
    if let type { all.append(("Content-Type", type)) }
    var outcome: Result<HTTPResponse, HTTPClientError>?
    client.send(HTTPRequest(method, target, headers: all, body: Array(body.utf8))) { outcome = $0 }
    while outcome == nil { loop.turn(atMost: .seconds(1)) }
    return try #require(outcome).get()
  }

  /// A key on the curve that Apple uses, as a .p8 file holds it.
  static let apnsKey = P256.PrivateKey().pem

  /// A body that the route takes.
  static let send = #"{"appId":"com.example.bank","audience":{"all":true},"alert":"hi"}"#
}

extension HTTPResponse {
  /// True for problem details of this kind that name the request by the id in the header.
  func isProblem(_ code: Problem.Code) -> Bool {
    status == code.status && header("content-type") == "application/problem+json"
      && text.hasPrefix("{\"type\":\"\(code.rawValue)\"")
      && text.hasSuffix("\"requestId\":\"\(header("x-request-id") ?? "none")\"}")
  }
}

extension Endpoint {
  /// Nil where nobody has to prove anything first, or something else.
  var permission: Permission? {
    access.permission
  }
}
