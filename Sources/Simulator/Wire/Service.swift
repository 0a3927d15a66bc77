internal import HTTPServer
package import Reactor

/// The simulated push services: their state, listeners and connections. Confined to the loop of thread `sim-apns-0`;
/// other threads access it through `Simulator`.
package final class Service {
  package let simulated: SimulatedService
  /// The control API's server, retained here.
  var control: HTTPServer?
  private var connections: [Int: Connection] = [:]
  private var listeners: [Listener] = []
  private var isStopping = false
  private var stopped: (() -> Void)?

  package var loop: EventLoop { simulated.loop }

  init(configuration: SimulatorConfiguration, loop: EventLoop) {
    simulated = SimulatedService(configuration: configuration, loop: loop)
    scheduleSweep()
  }

  // MARK: Connections

  /// Starts serving on a listening socket. Returns its port.
  func open(_ socket: consuming Socket, _ place: FaultPlan.Place, _ contexts: Listener.Contexts) throws -> UInt16 {
    let simulated = simulated
    let makeAdapter: () -> any ServiceAdapter = {
      switch place {
      case .apns(let environment): APNsServiceAdapter(environment: environment, simulated: simulated)
      case .channels(let environment): ChannelServiceAdapter(environment: environment, simulated: simulated)
      case .fcm: FCMServiceAdapter(simulated: simulated)
      }
    }
    let listener = try Listener(
      place: place, socket: socket, contexts: contexts, simulated: simulated, makeAdapter: makeAdapter
    ) { [unowned self] in opened($0) }
    listeners.append(listener)
    return listener.port
  }

  private func opened(_ connection: Connection) {
    connections[connection.number] = connection
    simulated.counters.connectionsOpen += 1
    connection.whenClosed = { [unowned self] in closed($0) }
  }

  private func closed(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.number) != nil else { return }
    simulated.counters.connectionsOpen -= 1
    if isStopping, connections.isEmpty { finish() }
  }

  /// Ends all open connections, as `way` says.
  func cutConnections(_ way: Effect.Cut) {
    for connection in Array(connections.values) { connection.cut(way) }
  }

  /// Resets all connections and closes the listeners, which reopen at the same ports after `time`.
  func goAway(for time: Duration) {
    cutConnections(.reset)
    for listener in listeners { listener.close() }
    loop.schedule(after: time) { [weak self] in
      guard let self, !isStopping else { return }
      for listener in listeners { listener.reopen() }
    }
  }

  /// Accepts no new connections, ends the open ones with GOAWAY, then calls `completion`.
  func stop(_ completion: @escaping () -> Void) {
    stopped = completion
    isStopping = true
    for listener in listeners { listener.close() }
    control?.close()
    for connection in connections.values { connection.shutDown() }
    guard !connections.isEmpty else { return finish() }
    loop.schedule(after: Limits.drain) { [weak self] in self?.finish() }
  }

  private func finish() {
    guard let completion = stopped else { return }
    stopped = nil
    for connection in connections.values { connection.abandon() }
    // Both retain this object.
    listeners = []
    control = nil
    completion()
  }

  /// Checks periodically for connections that are idle, or in the TLS handshake, for too long.
  private func scheduleSweep() {
    let period = min(max(simulated.configuration.idle / 4, .milliseconds(20)), .seconds(5))
    loop.schedule(after: period) { [weak self] in
      guard let self else { return }
      for connection in connections.values { connection.checkIdle(now: loop.now) }
      scheduleSweep()
    }
  }

  /// Returns a snapshot of the counters.
  package func snapshot() -> Counters {
    simulated.snapshot(openPriorityFrames: connections.values.reduce(0) { $0 + $1.priorityFrames })
  }
}
