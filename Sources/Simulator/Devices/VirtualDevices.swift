internal import Reactor
internal import Synchronization

/// Virtual devices: they register with a UPMC server through its REST API, receive pushes from the simulated service,
/// and confirm receipts and reads like the real SDK. They confirm only alerts that start the app's extension
/// (`mutable-content`) or arrive while the app is in the foreground, and nothing while they are switched off.
///
/// ```
///            POST /v1/devices            push (inbox)            POST /v1/receipts, /v1/reads
/// unregistered ───────────► registered ──────────────► waiting ───────────────────────────────► confirmed
///      ▲  503, lost: later                    │ not this time (probability)     ▲  503, lost: later │
///      └──────────────                        └► done                           └───────────────────┘
/// ```
///
/// All devices share one thread, `sim-devices`, and a few connections to the server; confirmations are sent in batches
/// of up to 100. Every response is parsed and counted. If the server is unreachable, nothing is lost: a confirmation is
/// repeated until the server answers, and the server must treat a repeated one as the same.
package final class VirtualDevices: Sendable {
  package typealias Plan = DevicePlan

  private let pushes: Inbox<DevicePush>
  private let stopper: EventLoop.Stopper
  private let thread: Mutex<Thread?>
  let scoreboard: DeviceScoreboard

  /// Starts the thread, which begins to register the devices at once.
  init(_ plan: Plan, pushes: Inbox<DevicePush>) throws {
    let scoreboard = DeviceScoreboard(devices: plan.count)
    let started = try Rendezvous<Result<EventLoop.Stopper, SimulatorStartFailure>>()
    let thread = try Thread(name: "sim-devices") { Self.run(plan, pushes, scoreboard) { started.put($0) } }
    self.pushes = pushes
    self.scoreboard = scoreboard
    self.thread = Mutex(thread)
    stopper = try started.take().get()
  }

  func stop() {
    pushes.close()
    stopper.stop()
    Thread.joinOnce(thread)
  }

  private static func run(
    _ plan: Plan, _ pushes: Inbox<DevicePush>, _ scoreboard: DeviceScoreboard,
    _ report: (Result<EventLoop.Stopper, SimulatorStartFailure>) -> Void
  ) {
    do {
      let loop = try EventLoop()
      let transport = try DeviceTransport(plan, loop: loop)
      let fleet = DeviceFleet(plan, loop: loop, transport: transport, scoreboard: scoreboard)
      try loop.attach(pushes) { batch in fleet.receive(batch) }
      report(.success(loop.stopper))
      fleet.start()
      loop.run()
    } catch {
      report(.failure(SimulatorStartFailure(description: String(describing: error))))
    }
  }
}
