/// Limits of the device API.
enum DeviceLimits {
  /// Maximum number of operations that wait in one committer: eight full batches. At 100,000 operations a second, they
  /// take less than a tenth of a second.
  static let waitingOperations = 8192
  /// Maximum expected wait of a new operation for its commit. If the expected wait is longer, and at least
  /// `waitingAlways` operations are waiting, the operation gets 503, because devices retry. Reading requests and
  /// writing answers takes at least as long again, and 99 of 100 answers should be sent within 50 ms.
  static let longestWait: Duration = .milliseconds(15)
  /// Number of operations that may always wait, however long the expected wait: a short stall of the database's disk
  /// does not mean overload.
  static let waitingAlways = 256
  /// Minimum number of operations in a batch from which the duration per operation is computed.
  static let tellingBatch = 64
  /// Delay of the 503 for an operation that the committer does not accept. If 4,000 clients retry at once, they then
  /// make 16,000 requests a second, which take a quarter of a processor to refuse.
  static let refusalPause: Duration = .milliseconds(250)
  /// Maximum number of delayed refusals. Each occupies an HTTP connection; further refusals are sent at once.
  static let heldRefusals = 4096
  /// Time from its submission after which an operation without a commit is answered with 503. Together with
  /// `timeoutLook` it is less than five seconds.
  static let timeout: Duration = .milliseconds(4_500)
  /// Interval between the committer's checks for operations that have timed out.
  static let timeoutLook: Duration = .milliseconds(250)
  /// Lock timeout of statements. Batches hold locks for milliseconds; an operation that waits longer for one is
  /// isolated by halving its batch, so that it does not delay others.
  static let lockWait: Duration = .milliseconds(500)
  /// Minimum time between attempts of operations that another session's lock blocks, while other operations wait.
  static let blockedPause: Duration = .seconds(1)
  /// Duration of a batch after which the database counts as stalled.
  static let stall: Duration = .seconds(2)
  /// Maximum number of times that a batch is repeated after deadlocks, lost connections and numbers that were taken,
  /// unless it times out before.
  static let attempts = 8
}
