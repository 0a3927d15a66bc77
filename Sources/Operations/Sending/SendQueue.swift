internal import Domain
internal import Postgres
internal import Store

/// Limits the number of open messages, so that an overload is reported at once instead of building up.
enum SendQueue {
  /// Throws `.busy` if the lane has its maximum number of messages that wait or are being sent. Each lane has its own
  /// limit, so that many campaigns do not block urgent messages.
  static func checkRoom(
    in lane: Lane, on connection: Connection, limit: Int = Domain.Limits.openMessages
  ) throws(Problem) {
    guard try connection.answer(Controls.open(lane, limit: limit)).count >= limit else { return }
    throw Problem(
      .busy, "\(limit) messages of the lane \(lane.name) are waiting or being sent. Try again in a moment.")
  }
}
