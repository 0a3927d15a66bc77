internal import Domain
internal import HTTPServer
internal import Logging
internal import Postgres
internal import Reactor
internal import API
internal import Store
internal import TLS

/// Answers every request with 503 while a starting server cannot reach its database, so that a load balancer sends
/// requests elsewhere and `/ready` tells operators the reason. It has one thread, and ends before the HTTP service
/// starts.
final class StartupResponder {
  let address: SocketAddress
  private let stopping: StopSignal
  private let ended: Inbox<Void>

  /// Starts to listen at the address that the HTTP service will use, with TLS and the PROXY protocol as that will.
  /// - Throws: `ServerError` if the host has no address, or the certificate cannot be used.
  init(_ configuration: Configuration) throws {
    let (host, port) = (configuration.listenHost, configuration.listenPort)
    let tls = try ListenerCertificate.read(configuration.listening)?.context
    let engine = configuration.listening.behindProxies
    guard let wanted = try SocketAddress.resolve(host: host, port: port, passive: true).first else {
      throw ServerError("UPMC_LISTEN: the host \(host) has no address.")
    }
    let listener = try Socket.listen(on: wanted, reusePort: false)
    guard let address = listener.localAddress else { throw ServerError("The listening socket has no address.") }
    self.address = address
    let (stopping, ended) = (try StopSignal(), try Inbox<Void>(capacity: 1))
    (self.stopping, self.ended) = (stopping, ended)
    let descriptor = listener.release()
    _ = try Thread(name: "waiting-room") {
      do {
        let loop = try EventLoop()
        let server = try HTTPServer(
          loop: loop, listener: Socket(owning: descriptor), configuration: engine, tls: tls, handler: Turnstile())
        try stopping.wake(loop) { server.drain(deadline: Self.drain) { loop.stop() } }
        loop.run()
      } catch {
        Logger(label: "http").error("nothing answers while the database is away", metadata: ["error": "\(error)"])
      }
      _ = ended.offer(())
    }
  }

  private static let drain: Duration = .seconds(1)

  /// Answers pending requests and frees the address.
  func close() {
    stopping.raise()
    _ = ended.receive(atMost: Self.drain + .seconds(1))
  }

  private final class Turnstile: RequestHandler {
    func handle(_ request: Request, _ responder: Responder) {
      let problem = Problem(.databaseAway, "The server starts when it is back. Try again in a moment.")
      responder.send(.problem(problem, requestID: request.id, in: request.language))
    }
  }
}

/// Makes a starting server wait for an unreachable database until a stop signal arrives. If the database answers but
/// refuses every session, the start ends after `longestRefusal`. Decision 112.
enum DatabaseTimeouts {
  private static let firstPause: Duration = .milliseconds(500)
  private static let longestPause: Duration = .seconds(5)
  /// How long refusals are tolerated, because the database's roles may still be being created. It also keeps a node
  /// below five starts in ten seconds, so that systemd keeps starting one whose password comes late.
  private static let longestRefusal: Duration = .seconds(10)

  /// Calls `attempt` until the database can be reached, and returns its result. Other errors are rethrown.
  /// - Returns: nil when a stop signal arrived first.
  /// - Throws: `ServerError` if the database has refused every session for `longestRefusal`.
  static func wait<Value>(_ configuration: Configuration, for attempt: () throws -> Value) throws -> Value? {
    let log = Logger(label: "database")
    var room: StartupResponder?
    defer { room?.close() }
    var pause = firstPause
    let clock = SystemClock()
    var refusedSince: Instant?
    while true {
      do {
        return try attempt()
      } catch  where isLoss(error) {
        if let refusal = DatabaseRefusal.find(in: error), let remedy = DatabaseRefusal.remedy(refusal) {
          let since = refusedSince ?? clock.now
          guard clock.now - since < longestRefusal else {
            throw ServerError("The database of UPMC_DATABASE_URL refuses this node (\(refusal)). \(remedy)")
          }
          refusedSince = since
          ServiceNotifier.status("The database refuses this node: \(refusal)")
          log.error(
            "the database of UPMC_DATABASE_URL refuses this node",
            metadata: ["error": "\(refusal)", "remedy": "\(remedy)", "endsAfter": "\(longestRefusal)"])
        } else {
          refusedSince = nil
          ServiceNotifier.status("Waiting for the database.")
          log.warning(
            "waiting for the database of UPMC_DATABASE_URL", metadata: ["error": "\(error)", "again": "\(pause)"])
        }
      }
      if room == nil { room = try StartupResponder(configuration) }
      if Signals.wait(atMost: pause) == .stop { return nil }
      pause = min(pause * 2, longestPause)
    }
  }

  /// Returns true if the database cannot be reached, or was lost while it was migrated: a migration can be repeated.
  /// One that needs a server which takes writes is no loss: the error names its file.
  private static func isLoss(_ error: any Error) -> Bool {
    if let error = error as? PostgresError { return error.isConnectionLost }
    guard let error = (error as? MigratorError)?.databaseError else { return false }
    return error.isConnectionLost && !error.needsAnotherServer
  }
}
