package import Domain
internal import Reactor

/// What waits for one route (app and environment), in three lanes, and how the route stands. A queue of its own for each
/// route is what keeps one app's trouble from the others; it moves as a whole from one pool of connections to another.
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
  /// Targets that wait.
  var count: Int { lanes.reduce(0) { $0 + $1.count } }

  func isEmpty(_ lane: Lane) -> Bool { lanes[Int(lane.rawValue)].isEmpty }

  func enqueue(_ batch: PushBatch) {
    lanes[Int(batch.message.lane.rawValue)].append(QueuedBatch(batch, standing))
  }

  /// Sends it again before others of its message, while that is worth trying.
  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    guard submission.resends < PushTransport.Limits.quickResends else { return outbox.finish(submission, result) }
    var submission = submission
    submission.resends += 1
    lanes[Int(submission.batch.message.lane.rawValue)].appendAgain(submission)
  }

  func putBack(_ submission: Submission) {
    lanes[Int(submission.batch.message.lane.rawValue)].putBack(submission)
  }

  /// The next target of a lane whose binding still holds; those that wait too long come back as stale.
  func next(_ lane: Lane, at now: Instant, wallSeconds: Int64) -> Submission? {
    while let submission = lanes[Int(lane.rawValue)].next() {
      if submission.batch.isWorthSending(at: now, wallSeconds: wallSeconds) { return submission }
      outbox.finish(submission, .stale)
    }
    return nil
  }

  /// Gives back what waited too long.
  func giveBackStale(at now: Instant, wallSeconds: Int64) {
    for lane in lanes.indices where !lanes[lane].isEmpty {
      let stale = lanes[lane].removeStale { $0.isWorthSending(at: now, wallSeconds: wallSeconds) }
      for submission in stale { outbox.finish(submission, .stale) }
    }
  }

  /// Gives back everything that waits.
  func giveBack(_ result: SubmissionResult) {
    for lane in Lane.allCases { giveBack(lane, result) }
  }

  /// Gives back everything that waits in a lane.
  func giveBack(_ lane: Lane, _ result: SubmissionResult) {
    while let submission = lanes[Int(lane.rawValue)].next() { outbox.finish(submission, result) }
  }

  /// Since when the one in front that waits longest has waited; nil when none does.
  var oldestReadNanoseconds: Int64? {
    lanes.compactMap(\.oldestReadNanoseconds).min()
  }
}
