internal import Domain
internal import Store
internal import Time

/// Records the receipts and reads of a batch.
///
/// A receipt whose pushkey locates its delivery, and for which no SMS fallback is pending, is only appended to the log
/// (`ConfirmationLog`). Every other confirmation belongs to the device and user that the message was sent to, even if
/// another device owns the token now: former owners of the token are candidates too, and the delivery records decide
/// between them; without a pushkey (`Operation.Reach`), they also decide whether the message can have arrived at all.
/// Then the confirmation is appended to the log as well, or gets a row of its own if its delivery is in no block.
struct ConfirmationSteps {
  /// A receipt that is only appended to the log. `at` is the time by the device's clock; nil for now.
  private struct Located {
    let place: BlockPlace
    let at: Timestamp?
  }

  /// State of one confirmation that is looked up.
  private struct Entry {
    let confirmation: Operation.Confirmation
    var candidates: [Confirmations.Candidate] = []
    /// Whether the message was found, but no delivery is recorded because its history is not kept.
    var isForgotten = false
    var delivery: Confirmations.Delivery?
    /// Location of the delivery; nil if the delivery is in no block, or unknown.
    var place: BlockPlace?
    /// Device that the confirmation belongs to; nil if none was found.
    var device: DeviceID?
    /// Inbox entry to be marked read; nil if there is none.
    var inbox: Inboxes.Key?
    /// Time of the confirmation: as reported by the device, clamped between send and now.
    var at: Timestamp = .zero
    var user: Users.Key?
    /// Effect on the user's count; nil for a receipt.
    var option: BadgeOption?
    var badge: Int16?

    init(_ confirmation: Operation.Confirmation) {
      self.confirmation = confirmation
      option = confirmation.read
    }

    /// Location of the delivery, decoded from the pushkey; nil if the pushkey contains none.
    var provedPlace: BlockPlace? {
      confirmation.place.map { BlockPlace($0, of: confirmation.seqno) }
    }

    /// Whether the message has an SMS fallback that this kind of confirmation cancels.
    var settlesFallback: Bool {
      candidates.contains { $0.fallback?.isMet(byRead: confirmation.read != nil) == true }
    }
  }

  private final class State {
    var located: [Located] = []
    var entries: [Entry] = []
    /// The confirmations in their order: the index of an element of `located`, or the bitwise complement of the index
    /// of an element of `entries`, which is negative.
    var slots: [Int] = []
    /// For each operation, the range of its slots.
    var ranges: [Range<Int>] = []
    var sentTo: [Confirmations.Delivery: Confirmations.Sending] = [:]
    var owners: [DeviceID: Devices.Record] = [:]
    /// Candidates' devices whose user has the message in the inbox, each with the seqno of the inbox entry.
    var inInboxes: Set<Confirmations.Delivery> = []
    /// Messages for which the log accepted an entry.
    var logged: Set<Seqno> = []
    /// Messages read for the first time, and whether their increment has been taken back.
    var firstReads: [Ledger.Key: Bool] = [:]
  }

  private let state = State()
  /// Whether badge counts may change, so that the batch needs locks.
  let hasReads: Bool

  init(_ operations: [Operation]) {
    var hasReads = false
    state.located.reserveCapacity(operations.count)
    state.slots.reserveCapacity(operations.count)
    state.ranges.reserveCapacity(operations.count)
    for operation in operations {
      let start = state.slots.count
      if case .confirm(let confirmations) = operation {
        // By index, because an iterator would copy each confirmation.
        for index in confirmations.indices {
          if confirmations[index].needsNoLook, let coordinates = confirmations[index].place {
            let place = BlockPlace(coordinates, of: confirmations[index].seqno)
            state.slots.append(state.located.count)
            state.located.append(Located(place: place, at: confirmations[index].at))
          } else {
            let confirmation = confirmations[index]
            state.slots.append(~state.entries.count)
            state.entries.append(Entry(confirmation))
            hasReads = hasReads || confirmation.isGenuine && confirmation.read != nil
          }
        }
      }
      state.ranges.append(start..<state.slots.count)
    }
    self.hasReads = hasReads
  }

  // MARK: Rounds 0 and 1: resolve the owners

  func resolve(_ batch: BatchContext) -> [Step] {
    let state = state
    let genuine = state.entries.indices.filter { state.entries[$0].confirmation.isGenuine }
    guard !genuine.isEmpty else { return [] }
    let named = genuine.map {
      Confirmations.Named(seqno: state.entries[$0].confirmation.seqno, psid: state.entries[$0].confirmation.psid)
    }
    return [
      Confirmations.resolve(named, at: batch.now).map { candidates in
        for candidate in candidates {
          let index = genuine[candidate.entry]
          guard state.entries[index].confirmation.reach?.includes(candidate) != false else { continue }
          if candidate.isKept || candidate.inbox != nil {
            state.entries[index].candidates.append(candidate)
          } else {
            state.entries[index].isForgotten = true
          }
        }
      }
    ]
  }

  /// Returns the steps that find the user of each confirmation that needs one: reads, and messages with an SMS
  /// fallback. They also find the delivery records of confirmations whose token has had several owners, whose delivery
  /// cannot be located from the pushkey, or that have none. Round 1.
  func findUsers(_ batch: BatchContext) -> [Step] {
    var doubtful: Set<Confirmations.Delivery> = []
    var devices: Set<DeviceID> = []
    var inInboxes: Set<Confirmations.Delivery> = []
    for entry in state.entries
    where entry.candidates.count > 1 || entry.confirmation.read != nil || entry.settlesFallback
      || entry.provedPlace == nil && entry.candidates.contains(where: \.hasBlocks) || entry.confirmation.reach != nil
    {
      for candidate in entry.candidates {
        doubtful.insert(Confirmations.Delivery(seqno: entry.confirmation.seqno, device: candidate.device))
        devices.insert(candidate.device)
        if entry.confirmation.read != nil, let inbox = candidate.inbox {
          inInboxes.insert(Confirmations.Delivery(seqno: inbox, device: candidate.device))
        }
      }
    }
    guard !doubtful.isEmpty else { return [] }
    let state = state
    return [
      Confirmations.sentTo(doubtful).map { state.sentTo = $0 },
      Devices.find(devices).map { records in for record in records { state.owners[record.device] = record } },
    ] + (inInboxes.isEmpty ? [] : [Inboxes.have(inInboxes).map { state.inInboxes = $0 }])
  }

  // MARK: Round 2: write

  func write(_ batch: BatchContext) -> [Step] {
    for index in state.entries.indices { settle(index, batch) }
    let state = state
    var steps: [Step] = []
    let log = logEntries(batch)
    if !log.isEmpty { steps.append(ConfirmationLog.append(log).map { state.logged = $0 }) }
    guard !state.entries.isEmpty else { return steps }
    let rows = state.entries.filter { $0.place == nil }
    let received = Self.times(rows)
    if !received.isEmpty {
      steps.append(Confirmations.receive(received, writer: batch.writer, at: batch.now).map { _ in })
    }
    let read = Self.times(rows.filter { $0.confirmation.read != nil })
    if !read.isEmpty { steps.append(Confirmations.read(read, writer: batch.writer, at: batch.now).map { _ in }) }
    return steps + settleFallbacks(batch) + readInboxes() + markRead(batch)
  }

  /// Returns the entries for the log; two for a read, which also counts as a receipt.
  private func logEntries(_ batch: BatchContext) -> [ConfirmationLog.Entry] {
    var log: [ConfirmationLog.Entry] = []
    log.reserveCapacity(state.located.count)
    var before: BlockPlace?
    // Skips a receipt repeated in succession, as when a client repeats it within one call.
    for receipt in state.located {
      if let before, before == receipt.place { continue }
      before = receipt.place
      // The reader of the log knows the time of the send and clamps earlier confirmations.
      log.append(ConfirmationLog.Entry(receipt.place, isRead: false, at: min(receipt.at ?? batch.now, batch.now)))
    }
    before = nil
    for entry in state.entries {
      guard let place = entry.place, place != before || entry.confirmation.read != nil else { continue }
      before = place
      log.append(ConfirmationLog.Entry(place, isRead: false, at: entry.at))
      if entry.confirmation.read != nil { log.append(ConfirmationLog.Entry(place, isRead: true, at: entry.at)) }
    }
    return log
  }

  /// Returns the steps that mark messages read in the inbox, which applies to all of the user's devices; empty if there
  /// are none.
  private func readInboxes() -> [Step] {
    var times: [Inboxes.Key: Timestamp] = [:]
    for entry in state.entries {
      if let inbox = entry.inbox, times[inbox] == nil { times[inbox] = entry.at }
    }
    return times.isEmpty ? [] : [Inboxes.read(times).map { _ in }]
  }

  /// Returns the time of each delivery's first confirmation, in the order of the batch. Omits confirmations that belong
  /// to no delivery.
  private static func times(_ entries: [Entry]) -> [Confirmations.Delivery: Timestamp] {
    var times: [Confirmations.Delivery: Timestamp] = [:]
    for entry in entries {
      if let delivery = entry.delivery, times[delivery] == nil { times[delivery] = entry.at }
    }
    return times
  }

  /// Returns the steps that cancel SMS fallbacks in the same commit as the confirmation, so that either the
  /// confirmation is in time or the SMS is sent.
  private func settleFallbacks(_ batch: BatchContext) -> [Step] {
    let keys = Set(
      state.entries.lazy.filter(\.settlesFallback).compactMap { entry in
        entry.user.map { Fallbacks.Key(seqno: entry.confirmation.seqno, userKey: $0.userKey) }
      })
    return keys.isEmpty ? [] : [Fallbacks.confirm(keys, at: batch.now)]
  }

  /// Decides which device, user, delivery and inbox entry a confirmation belongs to, and stores them in its entry. The
  /// entry stays unchanged if the message or token is unknown, or if neither a pushkey nor a record shows that the
  /// message can have arrived on the device.
  private func settle(_ index: Int, _ batch: BatchContext) {
    let entry = state.entries[index]
    let seqno = entry.confirmation.seqno
    func delivery(_ candidate: Confirmations.Candidate) -> Confirmations.Delivery {
      Confirmations.Delivery(seqno: seqno, device: candidate.device)
    }
    // Of several devices that were sent the message, the pushkey names the one whose push is confirmed.
    let proved = entry.provedPlace.flatMap { place in
      entry.candidates.first { state.sentTo[delivery($0)]?.place == place }
    }
    // A key proves which device confirms, not that the message has arrived there.
    let isByKey = entry.confirmation.reach != nil
    let sent =
      proved ?? entry.candidates.first { state.sentTo[delivery($0)].map { !isByKey || !$0.neverArrived } == true }
    guard let chosen = sent ?? entry.candidates.first(where: \.isPresent) ?? entry.candidates.first else { return }
    let isRead = entry.confirmation.read != nil
    // A message can be read in an inbox on a device it was never sent to, or for which this is no longer known: that
    // counts as read by the person, but not as a read delivery.
    let isOnlyInInbox = chosen.inbox != nil && isRead && sent == nil
    if isByKey, chosen.isKept, sent == nil, !isOnlyInInbox { return }
    if isRead, let key = entry.confirmation.reach?.setter,
      key.device != chosen.device || key.epoch != state.owners[chosen.device]?.authEpoch
    {
      state.entries[index].option = .keep
    }
    state.entries[index].device = chosen.device
    state.entries[index].at = min(max(entry.confirmation.at ?? batch.now, chosen.sentAt), batch.now)
    if chosen.isKept, !isOnlyInInbox {
      state.entries[index].delivery = delivery(chosen)
      state.entries[index].place = entry.provedPlace ?? state.sentTo[delivery(chosen)]?.place
    }
    state.entries[index].isForgotten = !chosen.isKept
    guard isRead || entry.settlesFallback else { return }
    // A device that cannot see the message in the inbox has not read it there.
    if isOnlyInInbox, !isInView(chosen, batch) { return }
    let recipient = sent.flatMap { state.sentTo[delivery($0)]?.userKey }
    guard let key = recipient ?? state.owners[chosen.device]?.userKey else { return }
    let user = Users.Key(app: chosen.app, userKey: key)
    // The count of a guest who has logged in since is gone, and so is that of a person who was erased.
    let hasCount = !key.isGuest || state.owners[chosen.device]?.userKey == key
    // If the message's history is no longer kept, neither is its effect on the count.
    if chosen.isKept, hasCount { state.entries[index].user = user }
    guard isRead, let seqno = chosen.inbox else { return }
    state.entries[index].inbox = Inboxes.Key(user: user, seqno: seqno)
  }

  /// Returns whether the message is in the inbox of the device's user and visible to the device, although no record
  /// shows that it was sent to the device.
  private func isInView(_ candidate: Confirmations.Candidate, _ batch: BatchContext) -> Bool {
    guard let inbox = candidate.inbox, let owner = state.owners[candidate.device],
      state.inInboxes.contains(Confirmations.Delivery(seqno: inbox, device: candidate.device)),
      let since = batch.policies.inboxBegins(for: owner)
    else { return false }
    return since <= candidate.sentAt
  }

  /// Users whose counts the batch's reads may change.
  var readers: Set<Users.Key> {
    hasReads ? Set(state.entries.lazy.filter { $0.confirmation.read != nil }.compactMap(\.user)) : []
  }

  private func markRead(_ batch: BatchContext) -> [Step] {
    var first: [Ledger.Key: BadgeOption] = [:]
    for entry in state.entries {
      guard let user = entry.user, let option = entry.option else { continue }
      batch.counts.want(user)
      let key = Ledger.Key(user: user, seqno: entry.confirmation.seqno)
      // Of two reads of one message in a batch, the first decides. `force` leaves no mark: it acts each time.
      if option.actsOncePerMessage, first[key] == nil { first[key] = option }
    }
    guard !first.isEmpty else { return [] }
    let state = state
    return [Ledger.read(first.map { ($0.key, $0.value) }).map { state.firstReads = $0 }]
  }

  // MARK: Round 3: change the counts

  func applyBadge(at operation: Int, _ batch: BatchContext) {
    for slot in state.ranges[operation] where state.slots[slot] < 0 {
      let index = ~state.slots[slot]
      let entry = state.entries[index]
      guard let user = entry.user, let option = entry.option else { continue }
      let key = Ledger.Key(user: user, seqno: entry.confirmation.seqno)
      let before = batch.counts[user]
      let after = option.apply(to: before)
      if !option.actsOncePerMessage {
        batch.counts.set(user, to: after)
      } else if let wasTakenBack = state.firstReads.removeValue(forKey: key), !(wasTakenBack && option == .keep) {
        // With `keep`, a read must not subtract an increment that was taken back because every delivery failed.
        if option.setsCount { batch.counts.set(user, to: after) } else { batch.counts.move(user, to: after) }
      }
      if batch.counts[user] != before, let device = entry.device { batch.badgeSync.note(user, by: device) }
      state.entries[index].badge = batch.counts[user]
    }
  }

  // MARK: Answers

  func answer(_ batch: BatchContext) {
    let state = state
    // Most receipts of a batch are of one message. The numbers are compared, which takes no call into another module.
    var (last, isLogged): (Int64?, Bool) = (nil, false)
    func confirmed(_ slot: Int) -> OperationAnswer.Confirmed {
      let index = state.slots[slot]
      guard index >= 0 else { return Self.confirmed(state.entries[~index]) }
      let seqno = state.located[index].place.block.seqno
      if seqno.number != last { (last, isLogged) = (seqno.number, state.logged.contains(seqno)) }
      return OperationAnswer.Confirmed(
        seqno: seqno, status: isLogged ? .recorded : .unknownMessage, isForgotten: !isLogged)
    }
    // Nearly all operations have one receipt; those of the same message share their answer.
    var (sharedBy, shared): (Int64?, OperationAnswer) = (nil, .done)
    for operation in state.ranges.indices {
      let range = state.ranges[operation]
      guard !range.isEmpty else { continue }
      let index = state.slots[range.lowerBound]
      guard range.count == 1, index >= 0 else {
        batch.results[operation] = .success(.confirmed(range.map(confirmed)))
        continue
      }
      let seqno = state.located[index].place.block.seqno.number
      if seqno != sharedBy {
        sharedBy = seqno
        shared = .confirmed([confirmed(range.lowerBound)])
      }
      batch.results[operation] = .success(shared)
    }
  }

  private static func confirmed(_ entry: Entry) -> OperationAnswer.Confirmed {
    OperationAnswer.Confirmed(
      seqno: entry.confirmation.seqno, status: status(entry), badge: entry.badge, isForgotten: entry.isForgotten)
  }

  private static func status(_ entry: Entry) -> OperationAnswer.Confirmed.Status {
    guard entry.confirmation.isGenuine else { return .invalidPushkey }
    return entry.delivery != nil || entry.inbox != nil ? .recorded : .unknownMessage
  }
}
