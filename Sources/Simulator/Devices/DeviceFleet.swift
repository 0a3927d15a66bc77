internal import DequeModule
internal import Reactor

/// The virtual devices on their thread: what each has still to do, and the calls that do it.
final class DeviceFleet {
  /// What one call carries.
  private enum Work {
    case registration(Int)
    case receipts([DeviceCalls.Confirmation])
    case reads([DeviceCalls.Confirmation])
  }

  private let plan: DevicePlan
  private let loop: EventLoop
  private let transport: DeviceTransport
  private let scoreboard: DeviceScoreboard
  private var counters: DeviceCounters
  private var dice: Dice
  private var registrations = Deque<Int>()
  private var receipts = Deque<DeviceCalls.Confirmation>()
  private var reads = Deque<DeviceCalls.Confirmation>()
  /// Receipts and reads whose delay runs, that are under way, or that wait for their repetition.
  private var elsewhere = 0
  private var callsUnderWay = 0
  private var hasChanged = true
  /// How many calls in a row found the server busy or away: the base of the next wait.
  private var setbacks = 0
  private var restsUntil: Instant?

  init(_ plan: DevicePlan, loop: EventLoop, transport: DeviceTransport, scoreboard: DeviceScoreboard) {
    self.plan = plan
    self.loop = loop
    self.transport = transport
    self.scoreboard = scoreboard
    counters = DeviceCounters(devices: plan.count)
    dice = Dice(seed: plan.seed)
    loop.atEndOfTurn { [unowned self] in publish() }
  }

  func start() {
    registrations.append(contentsOf: 0..<plan.count)
    work()
  }

  // MARK: Pushes

  func receive(_ batch: [DevicePush]) {
    for push in batch { receive(push) }
    work()
  }

  private func receive(_ push: DevicePush) {
    hasChanged = true
    counters.received += 1
    guard let payload = PushPayload(push.payload) else {
      counters.unconfirmable += 1
      return
    }
    let confirmation = DeviceCalls.Confirmation(device: push.device, payload: payload)
    guard !plan.isOff(push.device) else { return counters.off += 1 }
    guard payload.isShown else { return counters.silent += 1 }
    guard runsSDK(for: payload) else {
      counters.unseen += 1
      return readLater(confirmation)
    }
    guard dice.roll(plan.receiptProbability) else { return }
    after(plan.receiptDelay) { [unowned self] in
      receipts.append(confirmation)
      readLater(confirmation)
    }
  }

  /// Whether some code of the app sees the push: on iOS the Notification Service Extension, or the app if it is in front; on
  /// Android the SDK's service always.
  private func runsSDK(for payload: PushPayload) -> Bool {
    plan.isAndroid || payload.startsExtension && plan.hasExtension || dice.roll(plan.frontShare)
  }

  /// The person opens what is shown later, or never; then the app confirms the read, received or not.
  private func readLater(_ confirmation: DeviceCalls.Confirmation) {
    guard dice.roll(plan.readProbability) else { return }
    after(plan.readDelay) { [unowned self] in reads.append(confirmation) }
  }

  /// Does something after `delay` and up to half as much again; at once when there is none.
  private func after(_ delay: Duration, _ action: @escaping () -> Void) {
    guard delay > .zero else { return action() }
    elsewhere += 1
    let chance = Double(dice.next() >> 11) * 0x1p-53
    loop.schedule(after: delay * (0.5 + chance)) { [unowned self] in
      elsewhere -= 1
      hasChanged = true
      action()
      work()
    }
  }

  // MARK: Calls

  /// Starts as many calls as may be under way.
  private func work() {
    if let restsUntil, loop.clock.now < restsUntil { return }
    while callsUnderWay < plan.connections, let next = next() { send(next) }
  }

  /// Receipts come before reads, which imply them; both before further registrations.
  private func next() -> Work? {
    if !receipts.isEmpty { return .receipts(Self.take(&receipts)) }
    if !reads.isEmpty { return .reads(Self.take(&reads)) }
    return registrations.popFirst().map { .registration($0) }
  }

  private static func take(_ queue: inout Deque<DeviceCalls.Confirmation>) -> [DeviceCalls.Confirmation] {
    let batch = Array(queue.prefix(Limits.confirmationsPerCall))
    queue.removeFirst(batch.count)
    return batch
  }

  private func send(_ work: Work) {
    callsUnderWay += 1
    let answered: (DeviceTransport.Outcome) -> Void = { [unowned self] outcome in
      callsUnderWay -= 1
      hasChanged = true
      settle(work, outcome)
      self.work()
    }
    switch work {
    case .registration(let device):
      transport.post("/v1/devices", key: plan.clientKey, DeviceCalls.registration(device, plan), answered)
    case .receipts(let batch):
      elsewhere += batch.count
      transport.post("/v1/receipts", key: nil, DeviceCalls.receipts(batch, plan), answered)
    case .reads(let batch):
      elsewhere += batch.count
      transport.post("/v1/reads", key: nil, DeviceCalls.reads(batch, plan), answered)
    }
  }

  private func settle(_ work: Work, _ outcome: DeviceTransport.Outcome) {
    if case .receipts(let batch) = work { elsewhere -= batch.count }
    if case .reads(let batch) = work { elsewhere -= batch.count }
    switch outcome {
    case .lost(let reason):
      counters.retriesLost += 1
      putBack(work, after: nil, because: reason)
    case .answered(let status, let retryAfterSeconds, let body) where status == 503 || status == 429:
      counters.retriesBusy += 1
      putBack(work, after: retryAfterSeconds, because: "\(status): \(String(decoding: body, as: UTF8.self))")
    case .answered(let status, _, let body):
      setbacks = 0
      take(status, body, of: work)
    }
  }

  /// The server could not take it now: everything rests, then it is sent again as it was.
  private func putBack(_ work: Work, after seconds: Int?, because reason: String) {
    counters.lastProblem = reason
    switch work {
    case .registration(let device): registrations.prepend(device)
    case .receipts(let batch): receipts.prepend(contentsOf: batch)
    case .reads(let batch): reads.prepend(contentsOf: batch)
    }
    setbacks = min(setbacks + 1, 10)
    let own = min(Limits.longestRest, Limits.firstRest * (1 << (setbacks - 1)))
    let rest = seconds.map { Duration.seconds($0) } ?? own
    let until = loop.clock.now + rest
    if let restsUntil, restsUntil >= until { return }
    restsUntil = until
    loop.schedule(after: rest) { [unowned self] in self.work() }
  }

  // MARK: Answers

  private func take(_ status: Int, _ body: [UInt8], of work: Work) {
    switch work {
    case .registration:
      if status == 200 || status == 201, DeviceCalls.isRegistration(body) {
        counters.registered += 1
      } else {
        counters.registrationsFailed += 1
        counters.lastProblem = "registration, \(status): \(String(decoding: body, as: UTF8.self))"
      }
    case .receipts(let batch):
      counters.confirmed += recorded(status, body, batch.count, "receipts")
    case .reads(let batch):
      counters.read += recorded(status, body, batch.count, "reads")
    }
  }

  /// How many of a batch were recorded; the rest are failures.
  private func recorded(_ status: Int, _ body: [UInt8], _ expected: Int, _ call: String) -> Int {
    guard status == 200, let statuses = DeviceCalls.statuses(in: body), statuses.count == expected else {
      counters.failed[status == 200 ? "malformed" : String(status), default: 0] += expected
      counters.lastProblem = "\(call), \(status): \(String(decoding: body.prefix(500), as: UTF8.self))"
      return 0
    }
    for status in statuses where status != "recorded" { counters.failed[status, default: 0] += 1 }
    return statuses.count { $0 == "recorded" }
  }

  private func publish() {
    guard hasChanged else { return }
    hasChanged = false
    counters.waiting = receipts.count + reads.count + elsewhere
    scoreboard.publish(counters)
  }
}
