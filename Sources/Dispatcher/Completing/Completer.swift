internal import Domain
internal import HeapModule
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization
internal import Time

/// Thread `complete`: receives the push networks' results, decides what follows for each delivery, writes outcomes in
/// batches, and resubmits deliveries that are to be retried.
///
/// Each iteration: receive inputs → decide (`DeliveryDecision`) → write the decisions in one transaction, except those
/// that wait for the rest of their block (`BlockAnswers`) → resubmit due retries, after re-reading their tokens. While
/// the database is unavailable, decisions stay in memory.
final class Completer {
  let shared: Shared
  private let workers: LaneWorkers
  let log: Logger
  private var flights: [Int64: OpenFlight] = [:]
  /// Number of devices of each claim whose outcome is not written yet.
  private var claims: [Claims.Hold: Int] = [:]
  private var retries = Heap<Retry>()
  private var lastRetry: Int64 = 0
  var decisions = Decisions()
  /// Number of answered devices that are not released from the in-flight window yet; they are released together.
  private var roomToGive = 0
  private var blockAnswers = BlockAnswers<Decisions.Decision>(timeout: Limits.blockTimeout)
  var breaker = CircuitBreaker()
  /// Claims that the database listed at the last audit but that this thread did not know.
  private var suspects: Set<Claims.Hold> = []
  private let meter: CompleteMeter
  private let isolation: FailureIsolation
  private let spans: DispatchSpans?
  /// Claims with an outcome that could not be written. They stay in the database after all other outcomes are written.
  private var spoilt: Set<Claims.Hold> = []
  /// Spoilt claims without open devices. Audits release them instead of launching them: some pushes may have been sent.
  private var spoiltOnce: Set<Claims.Hold> = []
  private var standstills = RouteOutageBackoff()

  init(_ shared: Shared, _ workers: LaneWorkers) {
    self.shared = shared
    self.workers = workers
    log = Logger(label: workers.threadName("complete"))
    meter = CompleteMeter(shared.configuration.metrics)
    spans = DispatchSpans(shared.configuration)
    isolation = FailureIsolation(log, shared)
  }

  func run() {
    DatabaseThread(workers.threadName("complete"), shared).run { connection in try turn(connection) }
    drain()
  }

  private func turn(_ connection: Connection) throws {
    let nextDue = [retries.min?.due, blockAnswers.nextDue].compactMap { $0 }.min()
    let timeout = nextDue.map { max(.zero, $0 - shared.clock.now) } ?? Limits.pollInterval
    // Decisions that could not be written yet must not wait for further input.
    let inputs = workers.completer.receive(atMost: decisions.isEmpty ? min(timeout, Limits.pollInterval) : .zero)
    for input in inputs { take(input) }
    giveRoom()
    for decision in blockAnswers.takeDue(at: shared.clock.now, open: { claims[$0] ?? 0 }) { decisions.add(decision) }
    try write(connection)
    try submitDue(connection)
    meter.waiting(retries.count)
    let bit: UInt8 = 1 << UInt8(workers.number)
    let isInCircle = standstills.areInCircle(at: shared.clock.now)
    if isInCircle { shared.circles.bitwiseOr(bit, ordering: .relaxed) }
    if !isInCircle { shared.circles.bitwiseAnd(~bit, ordering: .relaxed) }
  }

  private func giveRoom() {
    if roomToGive > 0 { shared.release(roomToGive) }
    roomToGive = 0
  }

  /// When the node stops: waits for answers in flight, for at most `Limits.drain`, and defers retries so that they are
  /// due at once. Unanswered deliveries stay in their claims. Finally closes the inbox, even if the database fails.
  private func drain() {
    let deadline = shared.clock.now + Limits.drain
    do {
      let connection = try Connection(shared.configuration.databaseURL)
      while !flights.isEmpty || !retries.isEmpty || !decisions.isEmpty || !blockAnswers.isEmpty,
        shared.clock.now < deadline
      {
        for input in workers.completer.receive(atMost: .milliseconds(50)) { take(input) }
        while let retry = retries.popMin() { postpone(retry) }
        giveRoom()
        for decision in blockAnswers.takeAll() { decisions.add(decision) }
        try write(connection)
      }
    } catch {
      log.warning(
        "the drain ended early; the next start takes the rest over",
        metadata: FailureDetails.of(error).mapValues { "\($0)" })
    }
    workers.completer.close()
  }

  private func postpone(_ retry: Retry) {
    postpone(retry.claim, retry.message, retry.target, reason: DeliveryDecision.notProcessed)
  }

  func postpone(
    _ claim: Claims.Hold, _ message: DispatchMessage, _ target: WaitingTarget, reason: String, dueAt: Timestamp? = nil
  ) {
    // The node that resubmits the delivery will not know that it is a resend: count it now.
    if target.countsAsResent { decisions.countResent(message.seqno) }
    decide(claim, message, target, .deferred, reason: reason, dueAt: dueAt ?? shared.clock.wallTime)
  }

  // MARK: Input

  private func take(_ input: CompleterInput) {
    switch input {
    case .started(let flight):
      claims[flight.claim, default: 0] += flight.isRepeat ? 0 : flight.batch.targets.count
      flights[flight.batch.address.number] = OpenFlight(flight)
    case .waiting(let claim, let message, let targets):
      claims[claim, default: 0] += targets.count
      for target in targets { tryAgain(claim, message, target, afterMilliseconds: 0) }
    case .found(let claim, let message, let targets):
      guard claims[claim] == nil else { return shared.release(targets.count) }
      take(.waiting(claim: claim, message, targets))
    case .decided(let claim, let message, let targets, let status, let reason):
      claims[claim, default: 0] += targets.count
      for target in targets { decide(claim, message, target, status, reason: reason) }
    case .results(let results):
      for result in results { take(result) }
    case .recall(let seqnos):
      recall(seqnos)
    case .audit(let present):
      audit(present)
    }
  }

  private func take(_ result: PushResult) {
    // Ignore a result of a batch that is no longer open.
    guard let index = flights.index(forKey: result.batch.number) else { return }
    let flight = flights.values[index].flight
    if flights.values[index].isOver(after: result.result) { flights.remove(at: index).value.record(spans) }
    let route = flight.batch.route
    let (target, attempts) = (flight.batch.targets[result.target], flight.attempts[result.target])
    var (pause, deferral) = (Limits.notProcessedPause, Duration?.none)
    switch result.result {
    case .notProcessed: (pause, deferral) = standstills.delays(flight, target, shared, decisions.decisions.count)
    case .stale: pause = standstills.pauseStale(route, flight.message.push.lane, at: shared.clock.now)
    default: standstills.answered(route)
    }
    MessageLog(log).pushed(flight, target, result.result)
    let place = flight.places.isEmpty ? nil : flight.places[result.target]
    if case .unknown = result.result { decisions.countUnknown(flight.message.seqno) }
    let settled = TokenAssessment.of(
      result.result.kept, on: flight.batch.route.network, question: flight.question, now: shared.clock.now.nanoseconds)
    note(settled, flight, target)
    guard let meaning = settled.result else {
      return ask(settled.doubted ?? "", flight, target, place, attempts: attempts.next)
    }
    let verdict = DeliveryDecision.of(
      pacing(meaning, target.device), attempts: attempts, message: flight.batch.message,
      now: shared.clock.wallTime, jitter: Double.random(in: 0...1),
      pause: pause.nanoseconds / 1_000_000, deferral: deferral, isStopping: shared.isStopping)
    carryOut(verdict, flight, target, place, attempts: attempts)
  }

  private func carryOut(
    _ verdict: DeliveryDecision, _ flight: Flight, _ target: PushTarget, _ place: BlockPlace?, attempts: Tries
  ) {
    let (claim, message) = (flight.claim, flight.message)
    func recipient(_ attempts: Tries) -> WaitingTarget { WaitingTarget(target, attempts: attempts, place: place) }
    switch verdict {
    case .final(let status, _) where target.hasMoreTokens:
      tryAgain(claim, message, recipient(attempts).besides(target.psid, status), afterMilliseconds: 0)
    case .final(let status, let reason):
      decide(
        claim, message, recipient(attempts.next), status, reason: reason, isFirst: !flight.isRepeat,
        network: flight.batch.route.network, appVersion: target.appVersion)
    case .again(let milliseconds, let attempts, let wasUnknown):
      var waiting = recipient(attempts)
      waiting.countsAsResent = wasUnknown
      waiting.doubt = flight.question.map { TokenDoubt(psid: target.psid, question: $0) }
      tryAgain(claim, message, waiting, afterMilliseconds: milliseconds)
    case .deferred(let dueAt, let attempts, let reason, let wasUnknown):
      if wasUnknown { decisions.countResent(message.seqno) }
      decide(claim, message, recipient(attempts), .deferred, reason: reason, dueAt: dueAt)
    case .paused(let dueAt, let attempts, let reason):
      fault(flight, reason, isMissing: false)
      decide(claim, message, recipient(attempts), .deferred, reason: reason, dueAt: dueAt)
    case .withoutCredential(let dueAt, let attempts, let reason):
      fault(flight, reason, isMissing: true)
      decide(
        claim, message, recipient(attempts), .deferred, reason: reason, dueAt: dueAt,
        missing: flight.batch.route.network)
    }
  }

  func decide(
    _ claim: Claims.Hold, _ message: DispatchMessage, _ target: WaitingTarget, _ status: OutcomeStatus, reason: String?,
    dueAt: Timestamp? = nil, missing: PushNetwork? = nil, isFirst: Bool = false, network: PushNetwork? = nil,
    appVersion: String = ""
  ) {
    let (status, reason) = target.outcome(status, reason, onUnknown: message.push.onUnknown)
    let record = Outcomes.Record(
      seqno: message.seqno, device: target.device, userKey: target.userKey, status: status,
      attempts: target.tries(for: status), reason: reason, dueAt: status.isFinal ? nil : dueAt)
    var decision = Decisions.Decision(
      claim: claim, message: message, record: record, place: target.place, isFirst: isFirst,
      missing: status.isFinal ? nil : missing, network: network, appVersion: appVersion)
    guard decision.place != nil, status.isFinal, BlockState(record) != nil else { return decisions.add(decision) }
    // The decision waits for the rest of its block, but the delivery no longer counts as in flight.
    decision.hasGivenRoom = true
    roomToGive += 1
    blockAnswers.add(decision, to: claim, at: shared.clock.now)
  }

  func tryAgain(
    _ claim: Claims.Hold, _ message: DispatchMessage, _ target: WaitingTarget, afterMilliseconds: Int64
  ) {
    lastRetry += 1
    let due = shared.clock.now + .milliseconds(afterMilliseconds)
    retries.insert(Retry(due: due, number: lastRetry, claim: claim, message: message, target: target))
  }

  /// Makes the retries of paused or cancelled messages due now, even if their devices are backing off.
  private func recall(_ seqnos: Set<Seqno>) {
    guard retries.unordered.contains(where: { seqnos.contains($0.message.seqno) }) else { return }
    let now = shared.clock.now
    retries = Heap(
      retries.unordered.map { retry in
        guard seqnos.contains(retry.message.seqno) else { return retry }
        return Retry(
          due: now, number: retry.number, claim: retry.claim, message: retry.message, target: retry.target,
          isRecalled: true)
      })
  }

  // MARK: Writing

  /// Writes all decisions. If some fail because of their data, bisects them and gives up the faulty ones.
  private func write(_ connection: Connection) throws {
    guard !decisions.isEmpty || !breaker.suspects.isEmpty else { return }
    do {
      try writeTogether(connection)
    } catch  where FailureIsolation.isOwnFault(error) {
      try writeApart(connection, because: error)
    }
  }

  private func writeApart(_ connection: Connection, because error: any Error) throws {
    var rest: [Decisions] = []
    func divide(because error: any Error) throws {
      let parts = decisions.parts
      if parts.count > 1 {
        rest += parts.reversed()
      } else {
        try giveUp(decisions, because: error, connection)
      }
      decisions = Decisions()
    }
    do {
      try divide(because: error)
      while let part = rest.popLast() {
        decisions = part
        do {
          try writeTogether(connection)
        } catch  where FailureIsolation.isOwnFault(error) {
          try divide(because: error)
        }
      }
    } catch {
      // The database itself failed: keep everything that is not written yet and retry.
      for part in rest { decisions.add(part) }
      throw error
    }
  }

  /// Gives up outcomes that cannot be written, and pauses their messages. Their claims stay in the database and are
  /// adopted again when the messages are resumed. If `part` has no outcome, only logs that its content is lost.
  private func giveUp(_ part: Decisions, because error: any Error, _ connection: Connection) throws {
    for decision in part.decisions {
      isolation.note("an outcome cannot be written", decision.record.seqno, error)
      try isolation.message(decision.record.seqno, because: error, connection)
      spoilt.insert(decision.claim)
      claims[decision.claim, default: 1] -= 1
      forgetIfDecided(decision.claim)
      if !decision.hasGivenRoom { shared.release(1) }
    }
    if part.decisions.isEmpty { isolation.note("counts beside outcomes cannot be written", nil, error) }
  }

  /// Removes a claim without open devices from memory. A spoilt claim is left to the next audits, which release it.
  private func forgetIfDecided(_ claim: Claims.Hold) {
    guard claims[claim] == 0 else { return }
    claims[claim] = nil
    if spoilt.remove(claim) != nil { spoiltOnce.insert(claim) }
  }

  private func writeTogether(_ connection: Connection) throws {
    let began = shared.clock.now
    let counts = decisions.countByClaim
    let finished = counts.filter { claims[$0.key] == $0.value && !spoilt.contains($0.key) }.map(\.key)
    let now = shared.clock.wallTime
    func writeOnce() throws -> Decisions.Written {
      try connection.withTransaction {
        try decisions.write(
          connection, finished: finished, node: shared.configuration.node, writer: workers.completeWriter,
          now: now, storesRows: shared.configuration.storesOutcomes, breaker)
      }
    }
    let written: Decisions.Written
    do {
      written = try writeOnce()
    } catch let error as PostgresError where error.sqlState == .uniqueViolation && decisions.copies {
      decisions.copies = false
      written = try writeOnce()
    }
    let maintenance = written.maintenance
    meter.wrote(decisions.decisions, after: shared.clock.now - began)
    meter.opened(maintenance.opened.count)
    breaker.took(maintenance)
    for (app, reason) in maintenance.opened {
      shared.pausedApps.withLock { $0.insert(app) }
      log.error("the circuit breaker has paused an app", metadata: ["app": "\(app)", "reason": "\(reason)"])
    }
    for app in maintenance.faulty { shared.pausedApps.withLock { $0.insert(app) } }
    let (seqnos, campaigns) = decisions.messages(of: finished)
    MessageLog(log).wrote(decisions.decisions)
    let ended = decisions.decisions.count { !$0.hasGivenRoom }
    decisions = Decisions()
    for (claim, count) in counts { claims[claim, default: 0] -= count }
    for claim in finished { claims[claim] = nil }
    for claim in counts.keys { forgetIfDecided(claim) }
    shared.release(ended)
    let over = written.accepted.isEmpty ? [] : try connection.run(Messages.finish(accepted: written.accepted, at: now))
    let rest = try Messages.finish(seqnos.subtracting(over), at: now, on: connection)
    MessageLog(log).ended(over.union(rest), campaigns: campaigns)
  }

  // MARK: Retrying

  private func submitDue(_ connection: Connection) throws {
    var due: [Retry] = []
    let now = shared.clock.now
    while let next = retries.min, next.due <= now, due.count < Limits.claimDevices {
      retries.removeMin()
      if next.isRecalled || !isHeldOff(next, now) { due.append(next) }
    }
    guard !due.isEmpty else { return }
    let resubmission: Resubmission
    do {
      resubmission = try Resubmission(due, connection, shared, workers)
      // Count the resends before making them, so that no crash can hide a possible duplicate.
      if resubmission.countResends(of: &due, by: { decisions.countResent($0) }) { try write(connection) }
    } catch {
      // Nothing is submitted before the last query has succeeded, so the whole batch waits for the database.
      for retry in due { retries.insert(retry) }
      throw error
    }
    for (retry, status, reason) in resubmission.decided {
      decide(retry.claim, retry.message, retry.target, status, reason: reason)
    }
    for (retry, reason, dueAt) in resubmission.handedBack {
      postpone(retry.claim, retry.message, retry.target, reason: reason, dueAt: dueAt)
    }
    forget(resubmission.lost)
    if !resubmission.flights.isEmpty { shared.launch(resubmission.flights, workers) }
  }

  /// Drops retries whose claims are now held by another node.
  private func forget(_ lost: [Retry]) {
    guard !lost.isEmpty else { return }
    log.warning("others have taken claims over", metadata: ["devices": .stringConvertible(lost.count)])
    for retry in lost {
      claims[retry.claim, default: 1] -= 1
      if claims[retry.claim] == 0 { claims[retry.claim] = nil }
    }
    shared.release(lost.count)
  }

  // MARK: Audit

  /// Finds claims of this node that are in the database but unknown to this thread, mostly because the confirmation of
  /// their commit was lost. One that is unknown at two audits in a row is launched if nothing of it was submitted, or
  /// else released for adoption.
  private func audit(_ present: [Claims.Hold]) {
    let unknown = Set(present.filter { claims[$0] == nil })
    let stranded = unknown.intersection(suspects)
    suspects = unknown.subtracting(stranded)
    // The outcome of a claim made here (fence 0) and never launched is not in doubt, because this process knows that it
    // submitted nothing. What the previous holder of an adopted claim submitted is in doubt.
    let unlaunched = stranded.filter { $0.fence == 0 && !spoiltOnce.contains($0) }
    let doubtful = stranded.subtracting(unlaunched)
    if !doubtful.isEmpty { shared.stranded.withLock { $0.formUnion(doubtful) } }
    guard !unlaunched.isEmpty else { return }
    log.warning(
      "claims whose commit was not heard of are taken up", metadata: ["count": .stringConvertible(unlaunched.count)])
    shared.unlaunched.withLock { $0[workers.number, default: []].formUnion(unlaunched) }
    workers.claimWakeup.signal()
  }
}
