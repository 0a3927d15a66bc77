internal import API
internal import Domain
internal import HTTPServer
internal import Logging
internal import Reactor

/// The thread `metrics`: serves `/metrics`, `/health` and `/ready` without credentials, at an address of their own,
/// which a firewall should restrict to operators.
final class MetricsListener {
  let address: SocketAddress
  private let stopping: StopSignal

  /// Starts the thread.
  /// - Parameter descriptor: a listening socket, which the listener closes.
  init(
    _ descriptor: Int32, at address: SocketAddress, metrics: @escaping @Sendable () -> MetricsHandler,
    readiness: NodeReadiness
  ) throws {
    self.address = address
    let stopping = try StopSignal()
    self.stopping = stopping
    _ = try Thread(name: "metrics") {
      do {
        let loop = try EventLoop()
        let health = HealthHandler(isConnected: { readiness.health.sample != nil }, readiness: readiness)
        let server = try HTTPServer(
          loop: loop, listener: Socket(owning: descriptor), handler: Window(metrics: metrics(), health: health))
        try stopping.wake(loop) {
          server.close()
          loop.stop()
        }
        loop.run()
      } catch {
        Logger(label: "metrics").error("nothing answers at UPMC_METRICS_LISTEN", metadata: ["error": "\(error)"])
      }
    }
  }

  func stop() {
    stopping.raise()
  }

  private final class Window: RequestHandler {
    private let metrics: MetricsHandler
    private let health: HealthHandler

    init(metrics: MetricsHandler, health: HealthHandler) {
      self.metrics = metrics
      self.health = health
    }

    func handle(_ request: Request, _ responder: Responder) {
      if MetricsHandler.handles(request) { return metrics.handle(request, responder) }
      if HealthHandler.handles(request) { return health.handle(request, responder) }
      let problem = Problem(.notFound, "Here are /metrics, /health and /ready.")
      responder.send(.problem(problem, requestID: request.id, isKept: false, in: request.language))
    }
  }
}
