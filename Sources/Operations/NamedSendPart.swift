internal import Domain
internal import Store
internal import Synchronization

/// Sends to named users of a batch: each stored with its claim, then handed to the dispatcher after the commit.
struct NamedSendPart {
  /// One send and what is known about it so far.
  private struct Entry {
    let operation: Int
    let send: NamedSend
    var number: NamedSends.Number?
    var members: [Audiences.Member] = []
    var unknown: [UInt8] = []
    var claim: Claims.Hold?
    var earlier: Messages.Earlier?
    /// It was numbered by an earlier attempt, whose commit was not heard of: the message may be there.
    let isRepeated: Bool
    var badges: [UserKey: Int16] = [:]

    func key(_ user: UserKey) -> Users.Key { Users.Key(app: send.app.number, userKey: user) }
    func ledgerKey(_ user: UserKey, _ seqno: Int64) -> Ledger.Key { Ledger.Key(user: key(user), seqno: seqno) }
  }

  private final class State {
    var entries: [Entry] = []
    var names: [Users.Key: (badge: Int16, name: String)] = [:]
    /// Apps that were paused a moment ago: the catalog does not know it yet.
    var heldApps: Set<App.Number> = []
    /// Stored by this transaction.
    var stored: Set<Int64> = []
    var freshLedger: Set<Ledger.Key> = []
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

  // MARK: Round 0: who are they?

  func look(_ batch: BatchContext) -> [Step] {
    guard !isEmpty else { return [] }
    let state = state
    let users = Set(state.entries.flatMap { entry in entry.send.users.map(entry.key) })
    var steps: [Step] = [
      NamedSends.members(users).map { members in
        for index in state.entries.indices {
          let entry = state.entries[index]
          state.entries[index].members = entry.send.users.flatMap { members[entry.key($0)] ?? [] }
        }
      },
      AppPauses.held(Set(state.entries.map(\.send.app.number))).map { state.heldApps = $0 },
    ]
    let unnumbered = state.entries.indices.filter { state.entries[$0].number == nil }
    if !unnumbered.isEmpty {
      let apps = unnumbered.map { state.entries[$0].send.app.number }
      steps.append(
        NamedSends.number(apps, at: batch.now).map { numbers in
          for (position, number) in numbers {
            let index = unnumbered[position]
            state.entries[index].number = number
            state.entries[index].send.number.withLock { $0 = number }
          }
        })
    }
    let named = state.entries.filter { $0.send.size.showsClientName }.flatMap { $0.send.users.map($0.key) }
    if !named.isEmpty { steps.append(Users.find(Set(named)).map { state.names = $0 }) }
    return steps
  }

  // MARK: Round 1: store the messages

  func store(_ batch: BatchContext) -> [Step] {
    guard !isEmpty else { return [] }
    let state = state
    var new: [(seqno: Int64, message: Messages.New)] = []
    for index in state.entries.indices {
      let entry = state.entries[index]
      do throws(Problem) {
        guard let number = entry.number else {
          throw Problem(.unknownApp, "The app \(entry.send.app.appID) was deleted meanwhile.")
        }
        try entry.send.size.check(recipients(entry), hasFCM: entry.members.contains { $0.network == .fcm })
        let known = Set(entry.members.map(\.userKey))
        let unknown = entry.send.users.filter { !known.contains($0) }.map(\.description)
        state.entries[index].unknown = ResolvedAudience.json(unknown)
        new.append((number.seqno, message(state.entries[index], batch)))
      } catch {
        batch.fail(entry.operation, error)
      }
    }
    guard !new.isEmpty else { return [] }
    return [NamedSends.create(new, at: batch.now).map { state.stored = $0 }]
  }

  private func recipients(_ entry: Entry) -> [PayloadSize.Named] {
    Set(entry.members.map(\.userKey)).map {
      PayloadSize.Named(userKey: $0, name: state.names[entry.key($0)]?.name ?? "")
    }
  }

  private func message(_ entry: Entry, _ batch: BatchContext) -> Messages.New {
    let send = entry.send
    var new = Messages.New(
      app: send.app.number, lane: send.request.lane, request: send.kept.text, requestSHA256: send.digest.stored,
      idempotencyKey: send.idempotencyKey, apiKey: send.apiKey, targeted: Int64(entry.members.count),
      unknownEntries: String(decoding: entry.unknown, as: UTF8.self), now: batch.now,
      expiresAt: batch.now + send.request.expiresInSeconds * 1_000_000)
    new.sealed = send.kept.sealed
    new.fallback = send.request.fallback?.unless
    new.inboxSeconds = send.request.inboxSeconds
    return new
  }

  private func isStored(_ entry: Entry) -> Bool {
    entry.number.map { state.stored.contains($0.seqno) } ?? false
  }

  // MARK: Round 2: claim

  func claim(_ batch: BatchContext) -> [Step] {
    guard !isEmpty else { return [] }
    let state = state
    var audiences: [(seqno: Int64, entries: [Claims.Entry])] = []
    var ledger: [Ledger.Claim] = []
    var fallbacks: [Fallbacks.New] = []
    var inboxes: [Inboxes.New] = []
    var refused: [(index: Int, seqno: Int64)] = []
    var withNobody: [Int64] = []
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
      let claimed = entry.members.map { Claims.Entry(device: $0.device, userKey: $0.userKey, attempts: 0) }
      audiences.append((seqno, claimed))
      let request = entry.send.request
      fallbacks += Fallbacks.wanted(
        by: request.fallback, of: request.kind, seqno, app: entry.send.app.number, among: entry.members)
      if let seconds = request.inboxSeconds {
        inboxes += Inboxes.wanted(
          seqno, until: batch.now + seconds * 1_000_000, of: request.kind, app: entry.send.app.number,
          among: entry.members)
      }
      if entry.send.request.badge.movesCount {
        ledger += ledgerClaims(entry, seqno)
        for user in Set(entry.members.map(\.userKey)) { batch.counts.want(entry.key(user)) }
      }
    }
    var steps: [Step] = []
    if !audiences.isEmpty {
      steps.append(
        Claims.create(audiences, node: batch.node).map { claims in
          for index in state.entries.indices {
            state.entries[index].claim = state.entries[index].number.flatMap { claims[$0.seqno] }
          }
        })
    }
    if !ledger.isEmpty { steps.append(Ledger.claim(ledger).map { state.freshLedger = $0 }) }
    if !fallbacks.isEmpty { steps.append(Fallbacks.create(fallbacks)) }
    steps += Inboxes.create(inboxes)
    // Over as soon as it is stored.
    if !withNobody.isEmpty { steps.append(Events.finished(withNobody)) }
    steps += takeUp(refused.map(\.index).filter { state.entries[$0].isRepeated }, batch)
    if !refused.isEmpty {
      let asked = refused.map { index, seqno in
        (seqno: seqno, app: state.entries[index].send.app.number, key: state.entries[index].send.idempotencyKey)
      }
      steps.append(
        NamedSends.earlier(asked).map { found in
          for (position, earlier) in found { state.entries[refused[position].index].earlier = earlier }
        })
    }
    return steps
  }

  /// Messages that are there because an earlier attempt was committed after all: nobody has heard of their claims, so nothing
  /// was submitted, and they are this batch's to launch. Where other devices are the users' by now, the audit takes them up.
  private func takeUp(_ repeated: [Int], _ batch: BatchContext) -> [Step] {
    let state = state
    let seqnos = repeated.compactMap { state.entries[$0].number?.seqno }
    guard !seqnos.isEmpty else { return [] }
    for index in repeated where state.entries[index].send.request.badge.movesCount {
      for user in Set(state.entries[index].members.map(\.userKey)) { batch.counts.want(state.entries[index].key(user)) }
    }
    return [
      Claims.own(of: seqnos, node: batch.node).map { claims in
        for index in repeated {
          guard let claim = state.entries[index].number.flatMap({ claims[$0.seqno] }) else { continue }
          let members = state.entries[index].members.map { ($0.device, $0.userKey) }
          guard Dictionary(members, uniquingKeysWith: { first, _ in first }) == claim.devices else { continue }
          state.entries[index].claim = claim.hold
        }
      }
    ]
  }

  private func ledgerClaims(_ entry: Entry, _ seqno: Int64) -> [Ledger.Claim] {
    Dictionary(grouping: entry.members, by: \.userKey).map { user, members in
      Ledger.Claim(
        key: entry.ledgerKey(user, seqno), deliveries: Int16(clamping: members.count),
        increment: entry.send.request.badge.increment)
    }
  }

  // MARK: Round 3: move the counts

  func applyBadge(at operation: Int, _ batch: BatchContext) {
    guard let index = state.entries.firstIndex(where: { $0.operation == operation }) else { return }
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
      guard let earlier = entry.earlier else {
        throw Problem(.busy, "The same Idempotency-Key is being used by another request. Try again.")
      }
      // Its own number: the first attempt was committed after all.
      let isItself = earlier.seqno == entry.number?.seqno
      guard isItself || entry.send.digest.matches(earlier.requestSHA256) else {
        throw IdempotencyKey.conflict(entry.send.idempotencyKey ?? "", earlier)
      }
      let claim = isItself ? entry.claim : nil
      let launched = claim.flatMap { claim in entry.number.map { claimed(entry, $0, claim, batch) } }
      return .sent(SendAnswer.Accepted(earlier), launched)
    }
    var accepted = SendAnswer.Accepted(
      seqno: number.seqno, targeted: Int64(entry.members.count), unknown: entry.unknown)
    accepted.networks = ResolvedAudience.networks(of: entry.members)
    return .sent(accepted, entry.claim.map { claimed(entry, number, $0, batch) })
  }

  private func claimed(
    _ entry: Entry, _ number: NamedSends.Number, _ claim: Claims.Hold, _ batch: BatchContext
  ) -> ClaimedSend {
    let send = entry.send
    var message = Messages.Open(
      seqno: number.seqno, app: send.app.number, appID: send.app.appID, lane: send.request.lane, state: .sending,
      request: [], sendDate: number.sendDate, expiresAt: batch.now + send.request.expiresInSeconds * 1_000_000,
      frozenAt: batch.now, isPlanned: true)
    message.hasFallback = send.request.fallback != nil
    message.confidentialFrom = send.app.identityRules.confidentialFrom
    message.appHasExtension = send.app.hasExtension
    message.inboxSeconds = send.request.inboxSeconds
    let names = Dictionary(
      uniqueKeysWithValues: recipients(entry).lazy.filter { !$0.name.isEmpty }.map { ($0.userKey, $0.name) })
    return ClaimedSend(
      message: message, request: send.request, claim: claim, members: entry.members, badges: entry.badges,
      names: names, readAt: batch.readAt, isHeld: state.heldApps.contains(send.app.number))
  }
}
