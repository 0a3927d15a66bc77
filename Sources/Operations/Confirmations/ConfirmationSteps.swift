internal import Domain
internal import Store

/// Receipts and reads of a batch.
///
/// A receipt whose pushkey locates its delivery, and for which no SMS fallback is pending, is only appended to the log
/// (`ConfirmationLog`). Every other confirmation belongs to the device and user that the message was sent to, even if the token has moved since:
/// former owners of the token are candidates too, and the delivery records decide between them. Such a confirmation is
/// then appended to the log as well, or gets a row of its own if its delivery is in no block.
struct ConfirmationSteps {
  /// State of one confirmation in the batch.
  private struct Entry {
    let operation: Int
    let confirmation: Operation.Confirmation
    var candidates: [Confirmations.Candidate] = []
    /// Whether the message was sent to the token, but the record of the recipient has been deleted.
    var isForgotten = false
    var delivery: Confirmations.Delivery?
    /// Location of the delivery; nil if it is in no block.
    var place: BlockPlace?
    /// Device on which the message is read.
    var device: DeviceID?
    /// Inbox entry to be marked read.
    var inbox: Inboxes.Key?
    /// Time of the confirmation, in microseconds since 1970: as reported by the device, clamped between send and now.
    var at: Int64 = 0
    var user: Users.Key?
    var badge: Int16?

    /// Whether the pushkey is sufficient proof: the confirmation changes no badge count, and no SMS fallback waits for
    /// it.
    let needsNoLook: Bool

    init(_ operation: Int, _ confirmation: Operation.Confirmation) {
      self.operation = operation
      self.confirmation = confirmation
      needsNoLook = confirmation.isGenuine && confirmation.read == nil && confirmation.place?.hasFallback == false
      if needsNoLook { place = provedPlace }
    }

    /// Location of the delivery, decoded from the pushkey.
    var provedPlace: BlockPlace? {
      confirmation.place.map { BlockPlace($0, of: confirmation.seqno) }
    }

    /// Whether the confirmation cancels a pending SMS fallback.
    var settlesFallback: Bool {
      candidates.contains { $0.fallback?.isMet(byRead: confirmation.read != nil) == true }
    }
  }

  private final class State {
    var entries: [Entry] = []
    /// For each operation, the range of its entries.
    var ranges: [Range<Int>] = []
    var sentTo: [Confirmations.Delivery: Confirmations.Sending] = [:]
    var owners: [DeviceID: Devices.Record] = [:]
    /// Messages in the inbox of a device's person.
    var inInboxes: Set<Confirmations.Delivery> = []
    /// Messages for which the log accepted an entry.
    var logged: Set<Seqno> = []
    /// Messages read for the first time, and whether their increment has been taken back.
    var firstReads: [Ledger.Key: Bool] = [:]
  }

  private let state = State()
  /// Whether counts may change, so that locks are needed.
  let hasReads: Bool

  init(_ operations: [Operation]) {
    var hasReads = false
    state.entries.reserveCapacity(operations.count)
    state.ranges.reserveCapacity(operations.count)
    for (index, operation) in operations.enumerated() {
      let start = state.entries.count
      if case .confirm(let confirmations) = operation {
        for confirmation in confirmations {
          state.entries.append(Entry(index, confirmation))
          hasReads = hasReads || confirmation.isGenuine && confirmation.read != nil
        }
      }
      state.ranges.append(start..<state.entries.count)
    }
    self.hasReads = hasReads
  }

  // MARK: Rounds 0 and 1: resolve the owners

  func resolve(_ batch: BatchContext) -> [Step] {
    let state = state
    let genuine = state.entries.indices.filter {
      state.entries[$0].confirmation.isGenuine && !state.entries[$0].needsNoLook
    }
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

  /// Finds the user of each confirmation that needs it: reads, and messages with an SMS fallback. Also finds the
  /// delivery records of confirmations whose token has had several owners, or whose delivery cannot be located from the
  /// pushkey.
  func findUsers(_ batch: BatchContext) -> [Step] {
    var doubtful: Set<Confirmations.Delivery> = []
    var devices: Set<DeviceID> = []
    var inInboxes: Set<Confirmations.Delivery> = []
    for entry in state.entries
    where entry.candidates.count > 1 || entry.confirmation.read != nil || entry.settlesFallback
      || entry.provedPlace == nil && entry.candidates.contains(where: \.hasBlocks)
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
    for index in state.entries.indices where !state.entries[index].needsNoLook { settle(index, batch) }
    let state = state
    var steps: [Step] = []
    let log = logEntries(batch)
    if !log.isEmpty { steps.append(ConfirmationLog.append(log).map { state.logged = $0 }) }
    let rows = state.entries.filter { $0.place == nil }
    let received = Self.times(rows)
    if !received.isEmpty {
      steps.append(Confirmations.receive(received, writer: batch.writer, at: batch.now).map { _ in })
    }
    let read = Self.times(rows.filter { $0.confirmation.read != nil })
    if !read.isEmpty { steps.append(Confirmations.read(read, writer: batch.writer, at: batch.now).map { _ in }) }
    return steps + settleFallbacks(batch) + readInboxes() + markRead(batch)
  }

  /// Returns the entries for the log. A read also counts as a receipt.
  private func logEntries(_ batch: BatchContext) -> [ConfirmationLog.Entry] {
    var log: [ConfirmationLog.Entry] = []
    var before: BlockPlace?
    for entry in state.entries {
      // Skips a receipt repeated in succession, as when a client repeats it within one call.
      guard let place = entry.place, place != before || entry.confirmation.read != nil else { continue }
      before = place
      // The reader of the log knows the time of the send and clamps earlier confirmations.
      let at = entry.needsNoLook ? min(entry.confirmation.at ?? batch.now, batch.now) : entry.at
      log.append(ConfirmationLog.Entry(place, isRead: false, at: at))
      if entry.confirmation.read != nil { log.append(ConfirmationLog.Entry(place, isRead: true, at: at)) }
    }
    return log
  }

  /// Returns the steps that mark messages read in the inbox, which applies to all of the person's devices.
  private func readInboxes() -> [Step] {
    var times: [Inboxes.Key: Int64] = [:]
    for entry in state.entries {
      if let inbox = entry.inbox, times[inbox] == nil { times[inbox] = entry.at }
    }
    return times.isEmpty ? [] : [Inboxes.read(times).map { _ in }]
  }

  /// Returns the time of each delivery's confirmation; of several for one delivery, the first.
  private static func times(_ entries: [Entry]) -> [Confirmations.Delivery: Int64] {
    var times: [Confirmations.Delivery: Int64] = [:]
    for entry in entries {
      if let delivery = entry.delivery, times[delivery] == nil { times[delivery] = entry.at }
    }
    return times
  }

  /// Cancels SMS fallbacks in the same commit as the confirmation, so that either the confirmation is in time or the
  /// SMS is sent.
  private func settleFallbacks(_ batch: BatchContext) -> [Step] {
    let keys = Set(
      state.entries.lazy.filter(\.settlesFallback).compactMap { entry in
        entry.user.map { Fallbacks.Key(seqno: entry.confirmation.seqno, userKey: $0.userKey) }
      })
    return keys.isEmpty ? [] : [Fallbacks.confirm(keys, at: batch.now)]
  }

  /// Decides which device and user a confirmation belongs to.
  private func settle(_ index: Int, _ batch: BatchContext) {
    let entry = state.entries[index]
    let seqno = entry.confirmation.seqno
    func delivery(_ candidate: Confirmations.Candidate) -> Confirmations.Delivery {
      Confirmations.Delivery(seqno: seqno, device: candidate.device)
    }
    let sent = entry.candidates.first { state.sentTo[delivery($0)] != nil }
    guard let chosen = sent ?? entry.candidates.first(where: \.isPresent) ?? entry.candidates.first else { return }
    state.entries[index].device = chosen.device
    state.entries[index].at = min(max(entry.confirmation.at ?? batch.now, chosen.sentAt), batch.now)
    let isRead = entry.confirmation.read != nil
    // A message can be read in an inbox on a device it was never sent to, or for which this is no longer known: that
    // counts as read by the person, but not as a read delivery.
    let isOnlyInInbox = chosen.inbox != nil && isRead && sent == nil
    if chosen.isKept, !isOnlyInInbox {
      state.entries[index].delivery = delivery(chosen)
      state.entries[index].place = entry.provedPlace ?? state.sentTo[delivery(chosen)]?.place
    }
    state.entries[index].isForgotten = !chosen.isKept
    guard isRead || entry.settlesFallback else { return }
    // A device without an inbox entry was not a recipient either.
    if isOnlyInInbox, !isInView(chosen, batch) { return }
    guard let key = state.sentTo[delivery(chosen)]?.userKey ?? state.owners[chosen.device]?.userKey else { return }
    let user = Users.Key(app: chosen.app, userKey: key)
    // If the message is no longer stored, neither is its effect on the count.
    if chosen.isKept { state.entries[index].user = user }
    guard isRead, let seqno = chosen.inbox else { return }
    state.entries[index].inbox = Inboxes.Key(user: user, seqno: seqno)
  }

  /// Returns whether the device sees the message in its user's inbox, although, as far as is known, it was not sent
  /// there.
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
      guard let user = entry.user, let option = entry.confirmation.read else { continue }
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
    for index in state.ranges[operation] {
      let entry = state.entries[index]
      guard let user = entry.user, let option = entry.confirmation.read else { continue }
      let key = Ledger.Key(user: user, seqno: entry.confirmation.seqno)
      let before = batch.counts[user]
      let after = option.apply(to: before)
      if !option.actsOncePerMessage {
        batch.counts.set(user, to: after)
      } else if let wasTakenBack = state.firstReads.removeValue(forKey: key), !(wasTakenBack && option == .keep) {
        // The increment of a delivery that ended negative has been taken back, so reading it must not subtract again.
        if option.setsCount { batch.counts.set(user, to: after) } else { batch.counts.move(user, to: after) }
      }
      if batch.counts[user] != before, let device = entry.device { batch.badgeSync.note(user, by: device) }
      state.entries[index].badge = batch.counts[user]
    }
  }

  // MARK: Answers

  func answer(_ batch: BatchContext) {
    let entries = state.entries
    for (operation, range) in state.ranges.enumerated() where !range.isEmpty {
      batch.results[operation] = .success(.confirmed(range.map { confirmed(entries[$0]) }))
    }
  }

  private func confirmed(_ entry: Entry) -> OperationAnswer.Confirmed {
    OperationAnswer.Confirmed(
      seqno: entry.confirmation.seqno, status: status(entry), badge: entry.badge,
      isForgotten: entry.isForgotten || entry.needsNoLook && !state.logged.contains(entry.confirmation.seqno))
  }

  private func status(_ entry: Entry) -> OperationAnswer.Confirmed.Status {
    guard entry.confirmation.isGenuine else { return .invalidPushkey }
    if entry.needsNoLook { return state.logged.contains(entry.confirmation.seqno) ? .recorded : .unknownMessage }
    return entry.delivery != nil || entry.inbox != nil ? .recorded : .unknownMessage
  }
}
