internal import Reactor

/// How long a new operation would wait for its commit, told from how long the last batch took for each of its own.
/// Whoever would wait too long is answered 503 at once instead: so those who are let in keep their answer times, however
/// many come and however slow the machine is at the moment.
///
/// A small batch that gathers while another runs is the normal course of things, and never too much.
struct QueueGauge {
  /// From the start of the last batch to its commit, in nanoseconds.
  private var lastBatch: Int64 = 0
  /// An operation's part of a batch that had many; 0 before the first one of those.
  private var each: Int64 = 0
  private static let longest = DeviceLimits.longestWait.nanoseconds

  mutating func batchTook(_ duration: Duration, operations: Int) {
    lastBatch = duration.nanoseconds
    // With few of them the commit itself is nearly all of it.
    if operations >= DeviceLimits.tellingBatch { each = lastBatch / Int64(operations) }
  }

  /// Whether one more behind `waiting` operations would wait too long.
  func isTooLong(behind waiting: Int) -> Bool {
    guard waiting >= DeviceLimits.waitingAlways else { return false }
    // The batch that runs, those that wait, and the newcomer itself.
    return lastBatch + each * Int64(waiting + 1) > Self.longest
  }
}
