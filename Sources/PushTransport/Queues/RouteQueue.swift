package import Domain
internal import Reactor

/// The queue of one route (app and environment), in three lanes, and the route's condition. A queue per route keeps one
/// app's trouble from the others; it moves as a whole from one pool of connections to another.
package final class RouteQueue {
  package let standing: RouteCondition
  package var route: PushRoute { standing.route }
  private var lanes = Lane.allCases.map { _ in LaneQueue() }
  private let outbox: ResultBuffer

  init(_ route: PushRoute, outbox: ResultBuffer) {
    standing = RouteCondition(route)
    self.outbox = outbox
  }

  var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }
  /// Targets waiting.
  var count: Int { lanes.reduce(0) { $0 + $1.count } }

  func isEmpty(_ lane: Lane) -> Bool { lanes[Int(lane.rawValue)].isEmpty }

  func enqueue(_ batch: PushBatch) {
    lanes[Int(batch.message.lane.rawValue)].append(QueuedBatch(batch, standing))
  }

  /// Resends it before others of its message, up to `quickResends` times.
  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    guard submission.resends < PushTransport.Limits.quickResends else { return outbox.finish(submission, result) }
    var submission = submission
    submission.resends += 1
    lanes[Int(submission.batch.message.lane.rawValue)].appendAgain(submission)
  }

  func putBack(_ submission: Submission) {
    lanes[Int(submission.batch.message.lane.rawValue)].putBack(submission)
  }

  /// The next target of a lane whose binding still holds; those that waited too long are returned as stale.
  func next(_ lane: Lane, at now: Instant, wallSeconds: Int64) -> Submission? {
    while let submission = lanes[Int(lane.rawValue)].next() {
      if submission.batch.isWorthSending(at: now, wallSeconds: wallSeconds) { return submission }
      outbox.finish(submission, .stale)
    }
    return nil
  }

  /// Returns what has waited too long.
  func giveBackStale(at now: Instant, wallSeconds: Int64) {
    for lane in lanes.indices where !lanes[lane].isEmpty {
      let stale = lanes[lane].removeStale { $0.isWorthSending(at: now, wallSeconds: wallSeconds) }
      for submission in stale { outbox.finish(submission, .stale) }
    }
  }

  /// Returns everything that waits.
  func giveBack(_ result: SubmissionResult) {
    for lane in Lane.allCases { giveBack(lane, result) }
  }

  /// Returns everything that waits in a lane.
  func giveBack(_ lane: Lane, _ result: SubmissionResult) {
    while let submission = lanes[Int(lane.rawValue)].next() { outbox.finish(submission, result) }
  }

  /// The earliest read time of a binding, among the front batches; nil if nothing waits.
  var oldestReadNanoseconds: Int64? {
    lanes.compactMap(\.oldestReadNanoseconds).min()
  }
}
