internal import Reactor
internal import Store

/// A delivery that waits in a completer's memory for its next try. Ordered by due time, then by number.
struct Retry: Comparable {
  let due: Instant
  let number: Int64
  let claim: Claims.Hold
  let message: DispatchMessage
  let target: WaitingTarget
  /// True if its message was paused or cancelled: then the delivery is checked at once, even if its device is backing
  /// off.
  var isRecalled = false

  static func < (left: Retry, right: Retry) -> Bool { (left.due, left.number) < (right.due, right.number) }
  static func == (left: Retry, right: Retry) -> Bool { left.number == right.number }
}
