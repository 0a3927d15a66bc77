internal import Reactor

/// Estimates how long a new operation would wait for its commit, from the last batch's duration per operation. One that
/// would wait too long is answered 503 at once, which keeps the answer times of those accepted, whatever the load and
/// however slow the machine.
///
/// A small batch that accumulates while another runs is normal, and never too much. Decision 100.
struct QueueGauge {
  /// From the start of the last batch to its commit, in nanoseconds.
  private var lastBatch: Int64 = 0
  /// Cost per operation in the last large batch, in nanoseconds; 0 before the first one.
  private var each: Int64 = 0
  private static let longest = DeviceLimits.longestWait.nanoseconds

  mutating func batchTook(_ duration: Duration, operations: Int) {
    lastBatch = duration.nanoseconds
    // In a small batch the commit itself is nearly all of it.
    if operations >= DeviceLimits.tellingBatch { each = lastBatch / Int64(operations) }
  }

  /// Whether one more behind `waiting` operations would wait too long.
  func isTooLong(behind waiting: Int) -> Bool {
    guard waiting >= DeviceLimits.waitingAlways else { return false }
    // The running batch, those waiting, and the newcomer itself.
    return lastBatch + each * Int64(waiting + 1) > Self.longest
  }
}
