internal import HTTPServer
internal import Reactor
internal import Synchronization

/// Tests the conformance of a client: a server that instructs the client step by step and checks the requests it sends.
///
/// ```
///   client under test                                        ExpectationRun
///     ── GET /expect/next ───────────────────────────────────►  {"step":"register","token":…}
///     ── POST /v1/devices …      (requests of the step)    ───►  responds normally, or as the step requires
///     ── GET /expect/next ───────────────────────────────────►  judges the step, returns the next one
///                            …                                   {"step":"done"}: the report is ready
/// ```
/// The client may be written in any language. Its test is a loop that requests the next step and makes the client
/// perform it. Steps: `register` (appId, clientKey, token, clientUid, userProof), `setUser` (clientUid, userProof),
/// `push` (payloads, each JSON as text), `restart`, `flush` (afterSeconds), `read` (payload, badgeOption, badge),
/// `setBadge` (badge), `joinGroup` (groupSeq), `consent` (notification, ad), `inbox`, `unregisterUser`,
/// `unregisterService`, `done`. The first request may name the parts that the client lacks:
/// `?without=strict,consent,inbox`.
package final class ExpectationRun: Sendable {
  /// Address of the server, `host:port`.
  package let address: String
  private let stopper: EventLoop.Stopper
  private let thread: Mutex<Thread?>
  private let outcome: Rendezvous<ExpectationReport>

  /// Starts the server on `address`, `host:port`; port 0 selects any free port.
  package init(_ address: String) throws(SimulatorStartFailure) {
    do {
      let outcome = try Rendezvous<ExpectationReport>()
      let started = try Rendezvous<Result<(String, EventLoop.Stopper), SimulatorStartFailure>>()
      let thread = try Thread(name: "sim-expect") { Self.run(address, outcome) { started.put($0) } }
      self.outcome = outcome
      self.thread = Mutex(thread)
      (self.address, stopper) = try started.take().get()
    } catch {
      throw SimulatorStartFailure(description: String(describing: error))
    }
  }

  /// Waits until the client has performed every step, and returns the report.
  package func report() -> ExpectationReport { outcome.take() }

  package func stop() {
    stopper.stop()
    Thread.joinOnce(thread)
  }

  private static func run(
    _ address: String, _ outcome: Rendezvous<ExpectationReport>,
    _ report: (Result<(String, EventLoop.Stopper), SimulatorStartFailure>) -> Void
  ) {
    do {
      let loop = try EventLoop()
      let target = try HostPort(address)
      let server = try HTTPServer(
        loop: loop, listener: Socket.listen(on: target.resolve()), configuration: HTTPServer.Configuration(),
        handler: ExpectationHandler { outcome.put($0) })
      report(.success((target.with(port: server.port), loop.stopper)))
      withExtendedLifetime(server) { loop.run() }
    } catch {
      report(.failure(SimulatorStartFailure(description: String(describing: error))))
    }
  }
}
