internal import DequeModule
internal import Reactor
internal import UPMCClient

/// The virtual devices on their thread: the queues of pending work, and the client's requests that carry it out.
/// Pending confirmations are kept in memory, and also in the client's outboxes if the plan has a directory for them.
final class DeviceFleet {
  /// The work done by one request.
  private enum Work {
    case registration(Int)
    case receipts([DeviceCalls.Waiting])
    case reads([DeviceCalls.Waiting])
  }

  private let plan: DevicePlan
  private let loop: EventLoop
  private let transport: DeviceTransport
  private let outboxes: DeviceOutboxes?
  private let scoreboard: DeviceScoreboard
  private var counters: DeviceCounters
  private var dice: SplitMix64
  private var registrations = Deque<Int>()
  private var receipts = Deque<DeviceCalls.Waiting>()
  private var reads = Deque<DeviceCalls.Waiting>()
  /// Number of receipts and reads outside the queues: delayed or being sent.
  private var elsewhere = 0
  private var callsUnderWay = 0
  private var hasChanged = true
  /// Number of consecutive requests that found the server busy or unreachable. The next pause is computed from it.
  private var setbacks = 0
  private var restsUntil: Instant?

  init(_ plan: DevicePlan, loop: EventLoop, transport: DeviceTransport, scoreboard: DeviceScoreboard) {
    self.plan = plan
    self.loop = loop
    self.transport = transport
    self.scoreboard = scoreboard
    outboxes = DeviceOutboxes(plan)
    counters = DeviceCounters(devices: plan.count)
    dice = SplitMix64(seed: plan.seed)
    loop.atEndOfTurn { [unowned self] in publish() }
  }

  func start() {
    registrations.append(contentsOf: 0..<plan.count)
    if let outboxes {
      receipts.append(contentsOf: outboxes.left(.receipt))
      reads.append(contentsOf: outboxes.left(.read))
    }
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
    let confirmation = DeviceCalls.Waiting(device: push.device, payload: payload)
    guard !plan.isOff(push.device) else { return counters.off += 1 }
    guard payload.isShown else { return counters.silent += 1 }
    guard runsSDK(for: payload) else {
      counters.unseen += 1
      return readLater(confirmation)
    }
    guard dice.roll(plan.receiptProbability) else { return }
    after(plan.receiptDelay) { [unowned self] in
      store(confirmation, .receipt)
      receipts.append(confirmation)
      readLater(confirmation)
    }
  }

  /// Stores a confirmation in the device's outbox, if there is one, before it is sent.
  private func store(_ confirmation: DeviceCalls.Waiting, _ kind: Confirmation.Kind) {
    do {
      try outboxes?.add(confirmation, kind)
    } catch {
      counters.lastProblem = "outbox: \(error)"
    }
  }

  /// Returns whether the SDK processes the push: on iOS in the Notification Service Extension, or in the app if it is
  /// in the foreground; on Android always, in the SDK's service.
  private func runsSDK(for payload: PushPayload) -> Bool {
    plan.isAndroid || payload.startsExtension && plan.hasExtension || dice.roll(plan.frontShare)
  }

  /// Schedules the read of a push, with the configured probability. The read does not depend on the receipt's result.
  private func readLater(_ confirmation: DeviceCalls.Waiting) {
    guard dice.roll(plan.readProbability) else { return }
    after(plan.readDelay) { [unowned self] in
      store(confirmation, .read)
      reads.append(confirmation)
    }
  }

  /// Performs an action after `delay`, shortened or extended at random by up to a half; immediately if it is zero.
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

  // MARK: Requests

  /// Starts requests up to the maximum number of concurrent ones.
  private func work() {
    if let restsUntil, loop.clock.now < restsUntil { return }
    while callsUnderWay < plan.connections, let next = next() { send(next) }
  }

  /// Removes and returns the next work: receipts first, then reads, then registrations. Nil if there is none.
  private func next() -> Work? {
    if !receipts.isEmpty { return .receipts(Self.take(&receipts)) }
    if !reads.isEmpty { return .reads(Self.take(&reads)) }
    return registrations.popFirst().map { .registration($0) }
  }

  private static func take(_ queue: inout Deque<DeviceCalls.Waiting>) -> [DeviceCalls.Waiting] {
    let batch = Array(queue.prefix(Limits.confirmationsPerCall))
    queue.removeFirst(batch.count)
    return batch
  }

  private func send(_ work: Work) {
    callsUnderWay += 1
    switch work {
    case .registration(let device):
      transport.send(DeviceCalls.registration(device, plan)) { [unowned self] in ended(work, [], $0) }
    case .receipts(let batch): confirm(batch, .receipt, work)
    case .reads(let batch): confirm(batch, .read, work)
    }
  }

  private func confirm(_ batch: [DeviceCalls.Waiting], _ kind: Confirmation.Kind, _ work: Work) {
    elsewhere += batch.count
    let confirmations = DeviceCalls.confirmations(batch, kind, plan)
    transport.send(ConfirmationCall.request(confirmations, kind, to: plan.server)) { [unowned self] in
      elsewhere -= batch.count
      ended(work, confirmations, $0)
    }
  }

  private func ended(_ work: Work, _ confirmations: [Confirmation], _ outcome: Result<WireAnswer, NoAnswer>) {
    callsUnderWay -= 1
    hasChanged = true
    switch outcome {
    case .failure(let reason):
      counters.retriesLost += 1
      putBack(work, after: nil, because: reason.description)
    case .success(let answer) where answer.status == 503 || answer.status == 429:
      counters.retriesBusy += 1
      putBack(
        work, after: answer.retryAfterSeconds,
        because: "\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
    case .success(let answer):
      setbacks = 0
      take(answer, of: work, confirmations)
    }
    self.work()
  }

  /// Puts work back into its queue after the server was busy or unreachable, and pauses all requests.
  /// - Parameter seconds: value of Retry-After; nil to double the pause with each failure.
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

  // MARK: Responses

  private func take(_ answer: WireAnswer, of work: Work, _ confirmations: [Confirmation]) {
    switch work {
    case .registration:
      do throws(ClientError) {
        _ = try RegistrationCall.registered(answer)
        counters.registered += 1
      } catch {
        counters.registrationsFailed += 1
        counters.lastProblem = "registration, \(answer.status): \(String(decoding: answer.body, as: UTF8.self))"
      }
    case .receipts(let batch): counters.confirmed += recorded(answer, confirmations, batch, .receipt)
    case .reads(let batch): counters.read += recorded(answer, confirmations, batch, .read)
    }
  }

  /// Counts a batch's failed confirmations by status and, if the response is valid, removes the batch from the
  /// outboxes. Returns how many confirmations the server recorded.
  private func recorded(
    _ answer: WireAnswer, _ confirmations: [Confirmation], _ batch: [DeviceCalls.Waiting], _ kind: Confirmation.Kind
  ) -> Int {
    guard let verdicts = ConfirmationCall.verdicts(answer, of: confirmations) else {
      counters.failed[answer.status == 200 ? "malformed" : String(answer.status), default: 0] += confirmations.count
      counters.lastProblem =
        "\(kind.rawValue)s, \(answer.status): \(String(decoding: answer.body.prefix(500), as: UTF8.self))"
      return 0
    }
    for waiting in batch { try? outboxes?.remove(waiting, kind) }
    for verdict in verdicts where verdict.status != "recorded" { counters.failed[verdict.status, default: 0] += 1 }
    return verdicts.count { $0.status == "recorded" }
  }

  private func publish() {
    guard hasChanged else { return }
    hasChanged = false
    counters.waiting = receipts.count + reads.count + elsewhere
    scoreboard.publish(counters)
  }
}
