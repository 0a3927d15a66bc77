internal import Operations

/// How long a new operation would wait for its commit, told from how long the last batch took. Whoever would wait too
/// long is answered 503 at once instead: so those who are let in keep their answer times, however many come.
///
/// One batch that gathers while another runs is the normal course of things, and never too much.
struct QueueGauge {
  /// From the start of the last batch to its commit.
  private(set) var lastBatch: Duration = .zero

  mutating func batchTook(_ duration: Duration) { lastBatch = duration }

  /// Whether one more behind `waiting` operations would wait too long.
  func isTooLong(behind waiting: Int) -> Bool {
    let size = Operations.Limits.batchOperations
    guard waiting >= size else { return false }
    // The batch that runs, and the full ones before the newcomer's own.
    return lastBatch * (1 + waiting / size) > Receiver.Limits.longestWait
  }
}
