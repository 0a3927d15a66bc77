internal import Reactor
internal import Store

/// A delivery waiting in a completer's memory for its next try, ordered by due time.
struct Retry: Comparable {
  let due: Instant
  let number: Int64
  let claim: Claims.Hold
  let message: DispatchMessage
  let target: WaitingTarget
  /// Its message is held: hand it back whether or not its device is busy.
  var isRecalled = false

  static func < (left: Retry, right: Retry) -> Bool { (left.due, left.number) < (right.due, right.number) }
  static func == (left: Retry, right: Retry) -> Bool { left.number == right.number }
}
