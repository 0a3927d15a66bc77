internal import Domain
internal import Store
internal import Synchronization
internal import Time

/// Steps that store a batch's sends to named users (`DirectSend`): each message is stored with its claim, and its
/// answer contains what the dispatcher needs to launch it after the commit. Decision 047.
struct DirectSendSteps {
  /// State of one send in the batch.
  private struct Entry {
    let operation: Int
    let send: DirectSend
    var number: DirectSends.Number?
    var members: [Audiences.Member] = []
    var unknown: [UInt8] = []
    var claim: Claims.Hold?
    var earlier: Messages.Earlier?
    /// The app and time of the message that is stored under the number of a repeated send.
    var origin: Messages.Origin?
    /// Whether an earlier attempt of the batch assigned the number. The outcome of its commit may be unknown, so the
    /// message may exist already.
    let isRepeated: Bool
    /// Row to store; nil before round 1, and if the send was refused there.
    var new: Messages.New?
    var badges: [UserKey: Int16] = [:]

    func key(_ user: UserKey) -> Users.Key { Users.Key(app: send.app.number, userKey: user) }
    func ledgerKey(_ user: UserKey, _ seqno: Seqno) -> Ledger.Key { Ledger.Key(user: key(user), seqno: seqno) }
  }

  private final class State {
    var entries: [Entry] = []
    var names: [Users.Key: (badge: Int16, name: String)] = [:]
    /// Apps that are paused, although the catalog did not show that yet when the sends were accepted.
    var heldApps: Set<App.Number> = []
    /// Messages stored by this transaction.
    var stored: Set<Seqno> = []
    var freshLedger: Set<Ledger.Key> = []
    /// Index in `entries` of the next send whose badge is applied.
    var turn = 0
  }

  private let state = State()

  init(_ operations: [Operation]) {
    for (index, operation) in operations.enumerated() {
      guard case .send(let send) = operation else { continue }
      let number = send.number.withLock { $0 }
      state.entries.append(Entry(operation: index, send: send, number: number, isRepeated: number != nil))
    }
  }

  var isEmpty: Bool { state.entries.isEmpty }

  // MARK: Round 0: find the recipients

  func look(_ batch: BatchContext) -> [Step] {
    guard !isEmpty else { return [] }
    let state = state
    let users = Set(state.entries.flatMap { entry in entry.send.users.map(entry.key) })
    var steps: [Step] = [
      DirectSends.members(users).map { members in
        for index in state.entries.indices {
          let entry = state.entries[index]
          state.entries[index].members = entry.send.users.flatMap { members[entry.key($0)] ?? [] }
        }
      }
    ]
    // No other message may get a number that a repeated send keeps.
    if let last = state.entries.compactMap({ $0.isRepeated ? $0.number?.seqno : nil }).max() {
      steps.append(DirectSends.pass(last))
    }
    let unnumbered = state.entries.indices.filter { state.entries[$0].number == nil }
    if !unnumbered.isEmpty {
      let apps = unnumbered.map { state.entries[$0].send.app.number }
      steps.append(
        DirectSends.number(apps, at: batch.now).map { numbers in
          for (position, (number, isHeld)) in numbers {
            let index = unnumbered[position]
            state.entries[index].number = number
            state.entries[index].send.number.withLock { $0 = number }
            if isHeld { state.heldApps.insert(state.entries[index].send.app.number) }
          }
        })
    }
    let repeated = Set(state.entries.filter(\.isRepeated).map(\.send.app.number))
    if !repeated.isEmpty { steps.append(AppPauses.held(repeated).map { state.heldApps.formUnion($0) }) }
    let named = state.entries.filter { $0.send.size.showsClientName }.flatMap { $0.send.users.map($0.key) }
    if !named.isEmpty { steps.append(Users.find(Set(named)).map { state.names = $0 }) }
    return steps
  }

  // MARK: Round 1: store the messages

  func store(_ batch: BatchContext) -> [Step] {
    guard !isEmpty else { return [] }
    let state = state
    var (fresh, others): ([Messages.New], [Messages.New]) = ([], [])
    for index in state.entries.indices {
      let entry = state.entries[index]
      do throws(Problem) {
        guard let number = entry.number else {
          throw Problem(.unknownApp, "The app \(entry.send.app.appID) was deleted meanwhile.")
        }
        if !entry.send.size.fitsEverybody {
          try entry.send.size.check(recipients(entry), hasFCM: entry.members.contains { $0.network == .fcm })
        }
        let known = Set(entry.members.map(\.userKey))
        let unknown = entry.send.users.filter { !known.contains($0) }.map(\.description)
        state.entries[index].unknown = ResolvedAudience.json(unknown)
        let message = message(state.entries[index], number.seqno, batch)
        state.entries[index].new = message
        // Only a message with a key, or one of an earlier attempt of the batch, may be stored already.
        if message.idempotencyKey == nil && !entry.isRepeated { fresh.append(message) } else { others.append(message) }
      } catch {
        batch.fail(entry.operation, error)
      }
    }
    var steps: [Step] = []
    if !fresh.isEmpty { steps.append(Messages.createFresh(fresh).map { state.stored.formUnion($0) }) }
    if !others.isEmpty { steps.append(Messages.createNumbered(others).map { state.stored.formUnion($0) }) }
    return steps
  }

  private func recipients(_ entry: Entry) -> [PayloadSize.Named] {
    Set(entry.members.map(\.userKey)).map {
      PayloadSize.Named(userKey: $0, name: state.names[entry.key($0)]?.name ?? "")
    }
  }

  private func message(_ entry: Entry, _ seqno: Seqno, _ batch: BatchContext) -> Messages.New {
    let send = entry.send
    if entry.isRepeated { send.repeats.withLock { $0.append(batch.now) } }
    var new = send.terms.message(
      send.kept, targeted: Int64(entry.members.count), unknown: entry.unknown, now: batch.now,
      expiresAt: batch.now + .seconds(send.request.expiresInSeconds))
    new.seqno = seqno
    new.isClaimed = true
    new.trace = send.trace
    return new
  }

  private func isStored(_ entry: Entry) -> Bool {
    entry.number.map { state.stored.contains($0.seqno) } ?? false
  }

  // MARK: Round 2: claim

  func claim(_ batch: BatchContext) -> [Step] {
    guard !isEmpty else { return [] }
    let state = state
    var plan = ClaimPlan()
    var refused: [(index: Int, seqno: Seqno)] = []
    var withNobody: [Seqno] = []
    for (index, entry) in state.entries.enumerated() where !batch.hasFailed(entry.operation) {
      guard let seqno = entry.number?.seqno else { continue }
      guard isStored(entry) else {
        refused.append((index, seqno))
        continue
      }
      guard !entry.members.isEmpty else {
        withNobody.append(seqno)
        continue
      }
      plan.add(entry.members, of: claimed(entry, seqno, batch))
    }
    for claim in plan.ledger { batch.counts.want(claim.key.user) }
    var steps: [Step] = []
    if !plan.claims.isEmpty {
      steps.append(
        Claims.create(plan.claims, node: batch.node).map { claims in
          for index in state.entries.indices {
            state.entries[index].claim = state.entries[index].number.flatMap { claims[$0.seqno] }
          }
        })
    }
    if !plan.ledger.isEmpty { steps.append(Ledger.claim(plan.ledger).map { state.freshLedger = $0 }) }
    steps += plan.writes
    // Without recipients, a message is finished as soon as it is stored.
    if !withNobody.isEmpty { steps.append(Events.finished(withNobody)) }
    steps += takeUp(refused.map(\.index).filter { state.entries[$0].isRepeated }, batch)
    if !refused.isEmpty {
      let asked = refused.map { index, seqno in
        (seqno: seqno, app: state.entries[index].send.app.number, key: state.entries[index].send.terms.idempotencyKey)
      }
      steps.append(
        DirectSends.earlier(asked).map { found in
          for (position, earlier) in found { state.entries[refused[position].index].earlier = earlier }
        })
    }
    return steps
  }

  /// Returns the steps that find the claims of messages that an earlier attempt of the batch has committed: these
  /// claims never reached the dispatcher, so nothing was submitted, and this batch has to launch them. If the users'
  /// devices have changed since, a claim is left to the dispatcher, whose audit of claims recovers it. No steps for no
  /// messages.
  /// - Parameter repeated: indices in `entries`.
  private func takeUp(_ repeated: [Int], _ batch: BatchContext) -> [Step] {
    let state = state
    let seqnos = repeated.compactMap { state.entries[$0].number?.seqno }
    guard !seqnos.isEmpty else { return [] }
    for index in repeated where state.entries[index].send.request.badge.movesCount {
      for user in Set(state.entries[index].members.map(\.userKey)) { batch.counts.want(state.entries[index].key(user)) }
    }
    return [
      Messages.origins(of: seqnos).map { origins in
        for index in repeated {
          state.entries[index].origin = state.entries[index].number.flatMap { origins[$0.seqno] }
        }
      },
      Claims.own(of: seqnos, node: batch.node).map { claims in
        for index in repeated {
          guard let claim = state.entries[index].number.flatMap({ claims[$0.seqno] }) else { continue }
          let members = state.entries[index].members.map { ($0.device, $0.userKey) }
          guard Dictionary(members, uniquingKeysWith: { first, _ in first }) == claim.devices else { continue }
          state.entries[index].claim = claim.hold
        }
      },
    ]
  }

  private func claimed(_ entry: Entry, _ seqno: Seqno, _ batch: BatchContext) -> ClaimPlan.Message {
    let request = entry.send.request
    return ClaimPlan.Message(
      seqno: seqno, app: entry.send.app.number, kind: request.kind, badge: request.badge, fallback: request.fallback,
      inbox: request.inboxSeconds.map { (seqno, batch.now + .seconds($0)) })
  }

  // MARK: Round 3: change the counts

  /// Changes the counts of the next send's users. To be called once for each send, in the order of the operations.
  func applyNextBadge(_ batch: BatchContext) {
    let index = state.turn
    state.turn += 1
    let entry = state.entries[index]
    guard entry.claim != nil, let seqno = entry.number?.seqno, entry.send.request.badge.movesCount else { return }
    for user in Set(entry.members.map(\.userKey)) {
      if state.freshLedger.contains(entry.ledgerKey(user, seqno)) {
        let badge = entry.send.request.badge
        if badge.setsCount {
          batch.counts.set(entry.key(user), to: badge.count(after: batch.counts[entry.key(user)]))
        } else {
          batch.counts.add(badge.increment, to: entry.key(user), by: seqno)
        }
      }
      state.entries[index].badges[user] = batch.counts[entry.key(user)]
    }
  }

  // MARK: Answers

  func answer(_ batch: BatchContext) {
    for entry in state.entries where !batch.hasFailed(entry.operation) {
      do throws(Problem) {
        batch.results[entry.operation] = .success(try answer(entry, batch))
      } catch {
        batch.fail(entry.operation, error)
      }
    }
  }

  private func answer(_ entry: Entry, _ batch: BatchContext) throws(Problem) -> OperationAnswer {
    guard let number = entry.number, isStored(entry) else {
      guard let earlier = entry.earlier else { throw IdempotencyKey.isInUse }
      // The stored message is this very one: the first attempt was committed after all.
      let isItself = earlier.seqno == entry.number?.seqno
      guard !isItself || isOwn(entry) else {
        throw Problem(.busy, "Messages cannot be sent now. Try again in a moment.")
      }
      guard isItself || entry.send.terms.digest.matches(earlier.requestSHA256) else {
        throw IdempotencyKey.conflict(entry.send.terms.idempotencyKey ?? "", earlier)
      }
      let claim = isItself ? entry.claim : nil
      let launched = claim.flatMap { claim in entry.number.flatMap { claimed(entry, $0, claim, batch) } }
      return .sent(SendAnswer.Accepted(earlier), launched)
    }
    var accepted = SendAnswer.Accepted(
      seqno: number.seqno, targeted: Int64(entry.members.count), unknown: entry.unknown)
    accepted.networks = ResolvedAudience.networks(of: entry.members)
    return .sent(accepted, entry.claim.flatMap { claimed(entry, number, $0, batch) })
  }

  /// Returns whether an attempt of this very send has stored the message under its number. It may be another message,
  /// because a crash of the database takes back the numbers of which nothing was committed.
  private func isOwn(_ entry: Entry) -> Bool {
    guard let origin = entry.origin, origin.app == entry.send.app.number else { return false }
    return origin.createdAt == entry.number?.givenAt || entry.send.repeats.withLock { $0.contains(origin.createdAt) }
  }

  private func claimed(
    _ entry: Entry, _ number: DirectSends.Number, _ claim: Claims.Hold, _ batch: BatchContext
  ) -> ClaimedSend? {
    guard let message = entry.new?.open(number.seqno, in: entry.send.app, sendDate: number.sendDate) else { return nil }
    let named = entry.send.size.showsClientName ? recipients(entry).filter { !$0.name.isEmpty } : []
    let names = Dictionary(uniqueKeysWithValues: named.map { ($0.userKey, $0.name) })
    return ClaimedSend(
      message: message, request: entry.send.request, claim: claim, members: entry.members, badges: entry.badges,
      names: names, readAt: batch.readAt, isHeld: state.heldApps.contains(entry.send.app.number))
  }
}
