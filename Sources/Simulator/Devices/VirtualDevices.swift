internal import Reactor
internal import Synchronization

/// Virtual devices: they register with a UPMC server over its REST API, get their pushes from the simulated service,
/// and confirm receipts and reads as the real SDK does.
///
/// ```
///            POST /v1/devices            push (inbox)            POST /v1/receipts, /v1/reads
/// unregistered ───────────► registered ──────────────► waiting ───────────────────────────────► confirmed
///      ▲  503, lost: later                    │ not this time (probability)     ▲  503, lost: later │
///      └──────────────                        └► done                           └───────────────────┘
/// ```
///
/// All live on one thread, `sim-devices`, with a few connections to the server; what waits is sent in batches of up to
/// a hundred. Every answer is read and counted. Nothing that was received is forgotten because the server was away: a
/// confirmation is repeated until it is answered, which the server must take as the same one.
package final class VirtualDevices: Sendable {
  /// Who they are and how they behave.
  package struct Plan: Sendable {
    package var count: Int
    /// For example `http://127.0.0.1:8080`.
    package var server: String
    package var appID: String
    package var clientKey: String
    package var environment = Environment.production
    /// Users that the devices are spread over, device n being of user n modulo this; 0 leaves them guests.
    package var users: Int
    /// How many of the pushes are confirmed as received, 0…1.
    package var receiptProbability = 1.0
    /// How many of those are read, 0…1.
    package var readProbability = 0.0
    /// From a push to its confirmation, and from there to the read. Chance varies both by up to a half.
    package var receiptDelay = Duration.zero
    package var readDelay = Duration.zero
    /// What a read does to the badge: `keep` (also when nil), `reset`, `update`, `force`.
    package var badgeOption: String?
    /// The number for `update` and `force`.
    package var badge: Int?
    /// Requests that may be under way at once.
    package var connections = 8
    /// Tokens and chances derive from it.
    package var seed: UInt64 = 1

    package init(count: Int, server: String, appID: String, clientKey: String, users: Int? = nil) {
      self.count = count
      self.server = server
      self.appID = appID
      self.clientKey = clientKey
      self.users = users ?? count
    }

    /// The token of a device: 64 hexadecimal digits from the seed, never one that asks for a fault.
    func token(of device: Int) -> DeviceToken {
      var dice = Dice(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(device))
      return DeviceToken(dice.next() & ~(1 << 63), dice.next(), dice.next(), dice.next())
    }

    /// The user of a device; nil for a guest.
    func user(of device: Int) -> Int? { users > 0 ? device % users : nil }
  }

  private let pushes: Inbox<DevicePush>
  private let stopper: EventLoop.Stopper
  private let thread: Mutex<Thread?>
  let scoreboard: DeviceScoreboard

  /// Starts the thread; registration begins at once.
  init(_ plan: Plan, pushes: Inbox<DevicePush>) throws {
    let scoreboard = DeviceScoreboard(devices: plan.count)
    let started = try Rendezvous<Result<EventLoop.Stopper, Simulator.StartFailure>>()
    let thread = try Thread(name: "sim-devices") { Self.run(plan, pushes, scoreboard) { started.put($0) } }
    self.pushes = pushes
    self.scoreboard = scoreboard
    self.thread = Mutex(thread)
    stopper = try started.take().get()
  }

  func stop() {
    pushes.close()
    stopper.stop()
    let ended: Thread? = thread.withLock { thread in
      var taken: Thread?
      swap(&taken, &thread)
      return taken
    }
    ended?.join()
  }

  private static func run(
    _ plan: Plan, _ pushes: Inbox<DevicePush>, _ scoreboard: DeviceScoreboard,
    _ report: (Result<EventLoop.Stopper, Simulator.StartFailure>) -> Void
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
      report(.failure(Simulator.StartFailure(description: String(describing: error))))
    }
  }
}
