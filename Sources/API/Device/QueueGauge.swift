internal import Reactor

/// Estimates how long a new operation would wait for its commit, from the duration of recent batches. An operation that
/// would wait too long is refused with 503 instead of being queued, so that accepted ones are answered in time,
/// whatever the load and however slow the machine.
///
/// A small batch that accumulates while another runs is always accepted. Decision 100.
struct QueueGauge {
  /// Duration of the last batch, from its start to its commit, in nanoseconds.
  private var lastBatch: Int64 = 0
  /// Duration per operation in the last large batch, in nanoseconds; 0 before the first one.
  private var each: Int64 = 0
  private static let longest = DeviceLimits.longestWait.nanoseconds

  mutating func batchTook(_ duration: Duration, operations: Int) {
    lastBatch = duration.nanoseconds
    // Small batches are ignored, because nearly all of their time is spent on the commit itself.
    if operations >= DeviceLimits.tellingBatch { each = lastBatch / Int64(operations) }
  }

  /// Returns whether an operation behind `waiting` others would wait longer than `DeviceLimits.longestWait`. Always
  /// false if fewer than `DeviceLimits.waitingAlways` are waiting.
  func isTooLong(behind waiting: Int) -> Bool {
    guard waiting >= DeviceLimits.waitingAlways else { return false }
    // The expected wait: the running batch, the waiting operations, and the new one.
    return lastBatch + each * Int64(waiting + 1) > Self.longest
  }
}
