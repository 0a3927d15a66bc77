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
