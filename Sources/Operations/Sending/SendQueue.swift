internal import Domain
internal import Postgres
internal import Store

/// How many messages may wait: bounded, so that an overload is said at once instead of growing without end.
enum SendQueue {
  /// - Throws: `.busy` when as many messages of the lane wait or are being sent as there may be. Each lane has a bound of
  ///   its own, so a flood of campaigns refuses no urgent message.
  static func checkRoom(
    in lane: Lane, on connection: Connection, limit: Int = Domain.Limits.openMessages
  ) throws(Problem) {
    guard try connection.answer(Controls.open(lane, limit: limit)).count >= limit else { return }
    throw Problem(
      .busy, "\(limit) messages of the lane \(lane.name) are waiting or being sent. Try again in a moment.")
  }
}
