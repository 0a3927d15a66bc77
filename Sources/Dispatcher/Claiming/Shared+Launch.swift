internal import Domain
internal import Reactor
internal import Store
internal import Synchronization
internal import Time
internal import Tracing

/// Submits claimed deliveries: registers them with the completer, then passes them to the push networks.
extension Shared {
  /// Launches the sends of a commit, which the API's committer has stored and already claimed in this node's name: they
  /// skip planning and claiming. All of them leave together, so that the commit wakes the completer and each provider
  /// once, and not for each send.
  func launch(_ sends: [ClaimedSend]) {
    var prepared = laneWorkers.map { _ in (flights: [Flight](), others: [CompleterInput]()) }
    for send in sends {
      let message = DispatchMessage(send.message, send.request, pushkeys: configuration.pushkeys)
      admit(send.members.count)
      let claim = CommittedClaim(
        claim: send.claim, message: message, recipients: Recipient.all(send.members, in: nil), badges: send.badges,
        values: RecipientValues(names: send.names), readAt: send.readAt)
      let (flights, others) = prepare(claim, isHeld: send.isHeld, trace: message.trace)
      let number = LaneWorkers.number(of: message.push.lane)
      prepared[number].flights += flights
      prepared[number].others += others
    }
    for workers in laneWorkers {
      launch(prepared[workers.number].flights, besides: prepared[workers.number].others, workers)
    }
  }

  /// Launches a new claim of a message.
  /// - Parameter trace: the context under which the pushes' spans are recorded; nil if the message is not traced.
  func launch(_ claimed: CommittedClaim, trace: TraceContext?) {
    let (flights, others) = prepare(claimed, isHeld: false, trace: trace)
    launch(flights, besides: others, workers(of: claimed.message.push.lane))
  }

  /// Returns how a new claim is launched: the recipients that are ready (`ClaimPartition`) go to the providers, the
  /// rest to the completer. If the app is paused, or the claim's data is older than `Limits.claimAge`, all recipients
  /// go to the completer, which reads them again first: the message may have been paused, a device may have changed
  /// hands, or an audit may have found the claim.
  /// - Parameter isHeld: true if the caller knows that the app is paused.
  private func prepare(
    _ claimed: CommittedClaim, isHeld: Bool, trace: TraceContext?
  ) -> (flights: [Flight], others: [CompleterInput]) {
    let message = claimed.message
    let isPaused = isHeld || pausedApps.withLock { $0.contains(message.app) }
    guard !isPaused, clock.now - claimed.readAt <= Limits.claimAge else {
      return ([], [.found(claim: claimed.claim, message, claimed.recipients.map(\.waiting))])
    }
    let partition = ClaimPartition(claimed.recipients, of: message, claimed.values, self)
    return (
      flights(of: claimed, to: partition.ready, workers(of: message.push.lane), trace),
      partition.others(claim: claimed.claim, message)
    )
  }

  /// Groups recipients of a new claim into batches, one per route.
  private func flights(
    of claimed: CommittedClaim, to recipients: [Recipient], _ workers: LaneWorkers, _ trace: TraceContext?
  ) -> [Flight] {
    let message = claimed.message
    return Dictionary(grouping: recipients) { message.route(of: $0.member) }.map { route, recipients in
      let targets = recipients.map {
        claimed.values.target($0.member, at: $0.place, of: message, badge: claimed.badges[$0.member.userKey] ?? 0)
      }
      let batch = PushBatch(
        nextBatch(for: workers.number), message: message.push, route: route, targets: targets,
        readAtNanoseconds: claimed.readAt.nanoseconds, readUntilNanoseconds: clock.now.nanoseconds)
      let attempts = [Tries](repeating: 0, count: targets.count)
      return Flight(
        batch: batch, claim: claimed.claim, message: message, credentialsReadAt: credentialsReadAt(route.network),
        attempts: attempts, places: recipients[0].place == nil ? [] : recipients.map(\.place), span: span(below: trace))
    }
  }

  /// Registers whole claims with the completer first, then offers each batch to its provider: no result can arrive
  /// before its registration, and no claim looks complete while a part of it has not been submitted. A batch that the
  /// provider refuses, or that comes too late for this node's lease, is returned to the completer as not processed.
  /// - Parameter others: the completer's inputs for the rest of the claims.
  func launch(_ flights: [Flight], besides others: [CompleterInput] = [], _ workers: LaneWorkers) {
    workers.tell(flights.map(CompleterInput.started) + others)
    for flight in flights {
      // If the provider is full or the lease may have ended, the completer re-reads the tokens and retries.
      let isTaken = holdsLease && configuration.providers[flight.batch.route.network]?.offer(flight.batch) == true
      if !isTaken { returnUnprocessed(flight.batch, workers) }
    }
  }

  /// Returns when the network's provider last read the credentials from the database.
  func credentialsReadAt(_ network: PushNetwork) -> Instant {
    Instant(nanoseconds: configuration.providers[network]?.credentialsReadAtNanoseconds ?? 0)
  }

  /// Starts the span of a push batch; nil if the message is not traced or tracing is disabled.
  func span(below trace: TraceContext?) -> OpenSpan? {
    trace == nil ? nil : configuration.spans?.begin(trace, at: clock.wallTime)
  }

  private func returnUnprocessed(_ batch: PushBatch, _ workers: LaneWorkers) {
    workers.tell(
      .results(batch.targets.indices.map { PushResult(batch: batch.address, target: $0, result: .notProcessed) }))
  }
}

/// A new claim, after its transaction is committed: what its pushes are made of.
struct CommittedClaim {
  let claim: Claims.Hold
  let message: DispatchMessage
  let recipients: [Recipient]
  /// Each user's count after this message.
  let badges: [UserKey: Int16]
  let values: RecipientValues
  /// When reading the claim's data began.
  let readAt: Instant
}

/// A device of a new claim.
struct Recipient {
  let member: Audiences.Member
  /// The device's position in the block; nil if the claim is not a block.
  let place: BlockPlace?

  /// The recipient as the completer stores it while it is not in flight, without any earlier try.
  var waiting: WaitingTarget {
    WaitingTarget(device: member.device, userKey: member.userKey, attempts: 0, place: place)
  }

  /// Returns the recipients of a claim.
  /// - Parameter block: the claim's block; nil if the claim lists its devices itself.
  static func all(_ members: [Audiences.Member], in block: BlockID?) -> [Recipient] {
    members.enumerated().map { position, member in
      Recipient(member: member, place: block.map { BlockPlace(block: $0, position: position) })
    }
  }
}

/// The devices of a claim, partitioned: those to send to now (usually all), those that wait because they are backing
/// off, and those to skip, by reason.
struct ClaimPartition {
  private(set) var ready: [Recipient] = []
  private var waiting: [WaitingTarget] = []
  private var skipped: [SkipReason: [WaitingTarget]] = [:]

  init(_ recipients: [Recipient], of message: DispatchMessage, _ values: RecipientValues, _ shared: Shared) {
    let now = shared.clock.now
    let someWait = shared.backOffs.isAny(at: now)
    let networks = Set(shared.configuration.providers.keys)
    ready.reserveCapacity(recipients.count)
    for recipient in recipients {
      let member = recipient.member
      if let reason = message.objection(to: member) {
        skipped[reason, default: []].append(recipient.waiting)
      } else if !networks.contains(member.network) {
        skipped[.noProvider, default: []].append(recipient.waiting)
      } else if !values.hasToken(member) {
        skipped[.noToken, default: []].append(recipient.waiting)
      } else if someWait, shared.backOffs.wait(member.device, at: now) > .zero {
        waiting.append(recipient.waiting)
      } else {
        ready.append(recipient)
      }
    }
  }

  /// Returns the completer's inputs for the devices that are not ready: one for each reason to skip, and one for the
  /// devices that wait; none if all are ready.
  func others(claim: Claims.Hold, _ message: DispatchMessage) -> [CompleterInput] {
    var inputs: [CompleterInput] = skipped.map {
      .decided(claim: claim, message, $0.value, .skipped, reason: $0.key.rawValue)
    }
    // The completer determines how long each of them waits.
    if !waiting.isEmpty { inputs.append(.waiting(claim: claim, message, waiting)) }
    return inputs
  }
}
