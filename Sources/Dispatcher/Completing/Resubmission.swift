internal import Domain
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// A set of retries, of any messages, that are checked together before they are resubmitted. The check re-reads their
/// data, because meanwhile a device may have got a new token or user or been removed; its app or message may have been
/// paused; it may be too early or too late at the device; and another node may have adopted the claim.
struct Resubmission {
  typealias LocalTimes = [Confirmations.Delivery: Waves.LocalTimes]

  /// The properties that recipients must have in common to share a batch.
  private struct Kind: Hashable {
    let claim: Claims.Hold
    let route: PushRoute
    let question: TokenQuestion?
    /// When the deliveries expire, and until when the push network may keep them for their devices: as the devices'
    /// local time requires, or else until the message expires.
    let times: DispatchMessage.Times
  }

  private typealias Ready = (retry: Retry, member: Audiences.Member)

  private(set) var flights: [Flight] = []
  private(set) var decided: [(retry: Retry, status: OutcomeStatus, reason: String)] = []
  /// Deliveries to defer in the database, until `dueAt` or, if that is nil, until their app or message is resumed.
  private(set) var handedBack: [(retry: Retry, reason: String, dueAt: Timestamp?)] = []
  /// Retries whose claims are held by another node.
  private(set) var lost: [Retry] = []
  /// The messages of those flights that are resends and not yet counted as such, by the numbers of their retries.
  private var resends: [Int64: Seqno] = [:]
  /// Personal values by message, for messages that insert more than name and count, or need another kind of token.
  private var values: [Seqno: RecipientValues] = [:]

  /// Reads and checks all retries, with one query of each kind (local times and personal values: one for each message
  /// that needs them), and divides them into `flights`, `decided`, `handedBack` and `lost`. Writes and submits nothing:
  /// `countResends` must be called before the flights leave.
  init(
    _ retries: [Retry], _ connection: Connection, _ shared: Shared, _ workers: LaneWorkers
  ) throws(PostgresError) {
    // The time is taken before the messages' state is read, so that the data's age is never underestimated.
    let readAt = shared.clock.now
    let held = try connection.run(Claims.held(Set(retries.map(\.claim)), node: shared.configuration.node))
    let sendStates = try connection.run(Controls.sendStates(Set(retries.map(\.message.seqno))))
    let now = shared.clock.wallTime
    let own = retries.filter { retry in
      guard held.contains(retry.claim) else {
        lost.append(retry)
        return false
      }
      guard now < retry.message.expiresAt else {
        decide(retry, .expired, reason: "expired")
        return false
      }
      return true
    }
    let open = hold(own, sendStates)
    guard !open.isEmpty else { return }
    let localTimes = try Self.localTimes(open, connection)
    let ready = try bind(sort(open, by: localTimes, now: now), connection, shared)
    let users = try Self.users(ready, connection)
    for (retry, _) in ready where retry.target.countsAsResent { resends[retry.number] = retry.message.seqno }
    for (kind, entries) in Dictionary(grouping: ready, by: { kind($0, localTimes) }) {
      let message = entries[0].retry.message
      let batch = PushBatch(
        shared.nextBatch(for: workers.number), message: message.push(kind.times), route: kind.route,
        targets: entries.map { target($0, users) }, readAtNanoseconds: readAt.nanoseconds,
        readUntilNanoseconds: shared.clock.now.nanoseconds)
      flights.append(
        Flight(
          batch: batch, claim: kind.claim, message: message,
          credentialsReadAt: shared.credentialsReadAt(kind.route.network),
          attempts: entries.map(\.retry.target.attempts), places: entries.map(\.retry.target.place), isRepeat: true,
          question: kind.question, span: shared.span(below: message.trace)))
    }
  }

  /// Counts the flights that are resends, and clears the mark of the retries that it counts: if the write fails, they
  /// are tried again without being counted again.
  /// - Parameters:
  ///   - retries: those that were passed to `init`.
  ///   - count: counts a resend of a message, and keeps the count until it is known to be written.
  /// - Returns: false if there are none to count.
  func countResends(of retries: inout [Retry], by count: (Seqno) -> Void) -> Bool {
    for index in retries.indices {
      guard let seqno = resends[retries[index].number] else { continue }
      count(seqno)
      retries[index].target.countsAsResent = false
    }
    return !resends.isEmpty
  }

  mutating func decide(_ retry: Retry, _ status: OutcomeStatus, reason: String) {
    decided.append((retry, status, reason))
  }

  mutating func postpone(_ retry: Retry, reason: String, dueAt: Timestamp?) {
    handedBack.append((retry, reason, dueAt))
  }

  /// Returns the retries that can be submitted now, with their devices' current data; decides the others as skipped.
  private mutating func bind(
    _ retries: [Retry], _ connection: Connection, _ shared: Shared
  ) throws(PostgresError) -> [Ready] {
    guard !retries.isEmpty else { return [] }
    let bound = try connection.run(Audiences.bound(Set(retries.map(\.target.device))))
    values = try Self.values(retries, bound, connection)
    let deliveries = Set(retries.map(\.delivery))
    let ended = try connection.run(Outcomes.ended(deliveries))
    let returned = try connection.run(Erasures.returned(deliveries))
    let places = Set(retries.compactMap(\.target.place))
    let endedPlaces = places.isEmpty ? [] : try connection.run(Blocks.ended(places))
    var ready: [Ready] = []
    for retry in retries {
      if ended.contains(retry.delivery) || retry.target.place.map(endedPlaces.contains) == true {
        // The previous holder's answer has been written after all. That outcome stands; this decision only removes the
        // retry.
        decide(retry, .skipped, reason: SkipReason.gone.rawValue)
      } else if let reason = Self.obstacle(
        retry, bound[retry.target.device], values[retry.message.seqno], shared,
        hasReturned: returned.contains(retry.delivery))
      {
        decide(retry, .skipped, reason: reason.rawValue)
      } else if let member = bound[retry.target.device] {
        ready.append((retry, member))
      }
    }
    return ready
  }

  /// Returns why nothing can be sent to a recipient now; nil if it can. `values` is nil if the message needs none.
  /// - Parameter hasReturned: whether the recipient was erased and has registered again since the message's audience
  ///   was frozen.
  private static func obstacle(
    _ retry: Retry, _ member: Audiences.Member?, _ values: RecipientValues?, _ shared: Shared, hasReturned: Bool
  ) -> SkipReason? {
    guard let member else { return .gone }
    if member.userKey != retry.target.userKey { return .rebound }
    if hasReturned { return .gone }
    if let reason = retry.message.objection(to: member) { return reason }
    if values?.hasToken(member, besides: retry.target.done) == false { return .noToken }
    return shared.configuration.providers[member.network] == nil ? .noProvider : nil
  }

  /// Returns the properties that decide which batch a recipient belongs to. Its route is the device's own, or that of
  /// the environment to ask if a refusal is being verified.
  private func kind(_ entry: Ready, _ localTimes: LocalTimes) -> Kind {
    let (retry, member) = entry
    let psid = (values[retry.message.seqno] ?? .none).psid(of: member, besides: retry.target.done)
    let route = retry.message.route(of: member)
    let local = localTimes[retry.delivery]
    let expiresAt = local?.expiresAt ?? retry.message.expiresAt
    let times = DispatchMessage.Times(
      expiresAt: expiresAt, keptUntil: min(expiresAt, local?.nightBeginsAt ?? expiresAt))
    // If the device has a new token, or its environment has been corrected meanwhile, the refusal needs no
    // verification.
    guard let doubt = retry.target.doubt, doubt.psid == psid,
      doubt.question.environment == member.environment
    else { return Kind(claim: retry.claim, route: route, question: nil, times: times) }
    return Kind(claim: retry.claim, route: route.in(doubt.question.asked), question: doubt.question, times: times)
  }

  private func target(_ entry: Ready, _ users: [Users.Key: (badge: Int16, name: String)]) -> PushTarget {
    let (retry, member) = entry
    let user = users[Users.Key(app: retry.message.app, userKey: member.userKey)]
    return (values[retry.message.seqno] ?? .none).target(
      member, at: retry.target.place, of: retry.message, badge: user?.badge ?? 0, name: user?.name ?? "",
      besides: retry.target.done)
  }

  private static func values(
    _ retries: [Retry], _ bound: [DeviceID: Audiences.Member], _ connection: Connection
  ) throws(PostgresError) -> [Seqno: RecipientValues] {
    var values: [Seqno: RecipientValues] = [:]
    let special = Dictionary(
      grouping: retries.filter { RecipientValues.areNeeded(by: $0.message) }, by: \.message.seqno)
    for (seqno, retries) in special {
      let members = retries.compactMap { bound[$0.target.device] }
      values[seqno] = try RecipientValues(members, retries[0].message, connection, readsNames: false)
    }
    return values
  }

  /// Reads the current badge counts and names of the users whose payloads contain them; other users are missing.
  private static func users(
    _ ready: [Ready], _ connection: Connection
  ) throws(PostgresError) -> [Users.Key: (badge: Int16, name: String)] {
    let shown = ready.lazy.filter { $0.retry.message.movesBadge || $0.retry.message.push.template.needsClientName }
    let keys = Set(shown.map { Users.Key(app: $0.retry.message.app, userKey: $0.member.userKey) })
    return keys.isEmpty ? [:] : try connection.run(Users.find(keys))
  }
}

extension Retry {
  var delivery: Confirmations.Delivery {
    Confirmations.Delivery(seqno: message.seqno, device: target.device)
  }
}

/// A delivery that waits in a completer's memory for its next try. Ordered by due time, then by number.
struct Retry: Comparable {
  let due: Instant
  let number: Int64
  let claim: Claims.Hold
  let message: DispatchMessage
  var target: WaitingTarget
  /// True if its message was paused or cancelled: then the delivery is checked at once, even if its device is backing
  /// off.
  var isRecalled = false

  static func < (left: Retry, right: Retry) -> Bool { (left.due, left.number) < (right.due, right.number) }
  static func == (left: Retry, right: Retry) -> Bool { left.number == right.number }
}
