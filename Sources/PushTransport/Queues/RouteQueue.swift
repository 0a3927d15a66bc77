internal import DequeModule
package import Domain
internal import Reactor

/// The queued pushes of one route (app and environment) in three lanes, and the route's condition. A queue per route
/// isolates apps from each other, and moves as a whole between connection pools.
package final class RouteQueue {
  package let condition: RouteCondition
  package var route: PushRoute { condition.route }
  private var lanes = Lane.allCases.map { _ in LaneQueue() }
  private let outbox: ResultBuffer

  init(_ route: PushRoute, outbox: ResultBuffer) {
    condition = RouteCondition(route)
    self.outbox = outbox
  }

  var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }
  /// The number of queued targets in all lanes.
  var count: Int { lanes.reduce(0) { $0 + $1.count } }

  func isEmpty(_ lane: Lane) -> Bool { lanes[Int(lane.rawValue)].isEmpty }

  func enqueue(_ batch: PushBatch) {
    lanes[Int(batch.message.lane.rawValue)].append(QueuedBatch(batch, condition))
  }

  /// Queues the submission again, after earlier resends of its message and before its unsent targets. After
  /// `quickResends` resends, finishes it with `result` instead.
  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    guard submission.resends < PushTransport.Limits.quickResends else { return outbox.finish(submission, result) }
    var submission = submission
    submission.resends += 1
    lanes[Int(submission.batch.message.lane.rawValue)].appendAgain(submission)
  }

  func putBack(_ submission: Submission) {
    lanes[Int(submission.batch.message.lane.rawValue)].putBack(submission)
  }

  /// Removes and returns the lane's next target that is still fresh and not expired; nil if there is none. The targets
  /// before it (if there is none, all targets of the lane) end with the result `stale`.
  func next(_ lane: Lane, at now: Instant, wallSeconds: Int64) -> Submission? {
    while let submission = lanes[Int(lane.rawValue)].next() {
      if submission.batch.isWorthSending(at: now, wallSeconds: wallSeconds) { return submission }
      outbox.finish(submission, .stale)
    }
    return nil
  }

  /// Ends targets that have waited too long or have expired, with the result `stale`. In each message, stops at the
  /// first target that can still be sent.
  func finishStale(at now: Instant, wallSeconds: Int64) {
    for lane in lanes.indices where !lanes[lane].isEmpty {
      let stale = lanes[lane].removeStale { $0.isWorthSending(at: now, wallSeconds: wallSeconds) }
      for submission in stale { outbox.finish(submission, .stale) }
    }
  }

  /// Ends everything queued, with the given result.
  func finishQueued(_ result: SubmissionResult) {
    for lane in Lane.allCases { finishQueued(lane, result) }
  }

  /// Ends everything queued in a lane, with the given result.
  func finishQueued(_ lane: Lane, _ result: SubmissionResult) {
    while let submission = lanes[Int(lane.rawValue)].next() { outbox.finish(submission, result) }
  }

  /// The earliest `LaneQueue.oldestReadNanoseconds` of the lanes; nil if nothing is queued.
  var oldestReadNanoseconds: Int64? {
    lanes.compactMap(\.oldestReadNanoseconds).min()
  }
}

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
