internal import DequeModule
internal import Domain

/// The queue of pushes in one lane of one route. Serves messages round-robin, `PushTransport.Limits.turnTargets`
/// targets at a time, so that a message to ten million devices and one to a hundred progress side by side at the same
/// rate.
///
/// Within a message, resends go before targets that were never submitted.
struct LaneQueue {
  private final class Part {
    let seqno: Seqno
    var batches: Deque<QueuedBatch> = []
    var again: Deque<Submission> = []

    init(_ message: QueuedBatch) {
      seqno = message.message.seqno
    }

    var isEmpty: Bool { batches.isEmpty && again.isEmpty }

    func pop() -> Submission? {
      if let submission = again.popFirst() { return submission }
      guard let queued = batches.first else { return nil }
      let submission = Submission(batch: queued, target: queued.cursor)
      queued.cursor += 1
      if queued.isSubmitted { batches.removeFirst() }
      return submission
    }

    /// The batch of the next target, approximately the one that has waited longest; nil if the message has no targets.
    var front: QueuedBatch? { again.first?.batch ?? batches.first }
  }

  /// The messages with queued targets, in round-robin order.
  private var rotation: Deque<Part> = []
  private var parts: [Seqno: Part] = [:]
  /// The number of targets that the first message may still submit in its turn; 0 if its turn has not begun.
  private var credit = 0
  /// The number of queued targets.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ queued: QueuedBatch) {
    guard !queued.isSubmitted else { return }
    count += queued.targets.count - queued.cursor
    part(of: queued).batches.append(queued)
  }

  /// Queues a resend, behind earlier resends of the same message.
  mutating func appendAgain(_ submission: Submission) {
    count += 1
    part(of: submission.batch).again.append(submission)
  }

  /// Returns a submission that the connection did not accept to the front of its message.
  mutating func putBack(_ submission: Submission) {
    count += 1
    part(of: submission.batch).again.prepend(submission)
  }

  private mutating func part(of queued: QueuedBatch) -> Part {
    if let known = parts[queued.message.seqno] { return known }
    let made = Part(queued)
    parts[made.seqno] = made
    rotation.append(made)
    return made
  }

  /// Removes and returns the next target, in round-robin order; nil if the lane is empty.
  mutating func next() -> Submission? {
    guard let part = rotation.first, let submission = part.pop() else { return nil }
    count -= 1
    if credit == 0 { credit = PushTransport.Limits.turnTargets }
    credit -= 1
    if part.isEmpty {
      endTurn()
      parts[part.seqno] = nil
    } else if credit == 0, rotation.count > 1 {
      endTurn()
      rotation.append(part)
    }
    return submission
  }

  private mutating func endTurn() {
    rotation.removeFirst()
    credit = 0
  }

  /// Removes and returns targets that are no longer worth sending. For each message, stops at the first target that is
  /// still worth sending.
  mutating func removeStale(_ isWorthSending: (QueuedBatch) -> Bool) -> [Submission] {
    var stale: [Submission] = []
    for part in rotation {
      while let front = part.front, !isWorthSending(front), let submission = part.pop() { stale.append(submission) }
    }
    guard !stale.isEmpty else { return stale }
    count -= stale.count
    for part in rotation where part.isEmpty { parts[part.seqno] = nil }
    rotation.removeAll(where: \.isEmpty)
    credit = 0
    return stale
  }

  /// When reading the device tokens ended, in nanoseconds of the monotonic clock: the earliest such time among the
  /// front batches of the messages. Nil if the lane is empty.
  var oldestReadNanoseconds: Int64? {
    rotation.compactMap { $0.front?.readUntilNanoseconds }.min()
  }
}
