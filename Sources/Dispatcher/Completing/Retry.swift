internal import Reactor
internal import Store

/// A delivery that waits in a completer's memory for its next try, in the order of its time.
struct Retry: Comparable {
  let due: Instant
  let number: Int64
  let claim: Claims.Hold
  let message: DispatchMessage
  let target: WaitingTarget
  /// Its message is held: it goes home, whether its device is busy or not.
  var isRecalled = false

  static func < (left: Retry, right: Retry) -> Bool { (left.due, left.number) < (right.due, right.number) }
  static func == (left: Retry, right: Retry) -> Bool { left.number == right.number }
}
