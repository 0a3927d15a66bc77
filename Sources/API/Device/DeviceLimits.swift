/// Limits of the device API.
enum DeviceLimits {
  /// Maximum number of operations that wait in one committer: as many as it executes in a tenth of a second at 100,000
  /// a second, and 8 times the size of a batch.
  static let waitingOperations = 8192
  /// The longest wait for a commit that a new operation may expect; beyond it, operations get 503, because devices
  /// retry. Reading requests and writing answers takes at least as long again, and 99 of 100 answers should be sent
  /// within 50 ms.
  static let longestWait: Duration = .milliseconds(15)
  /// Number of operations that may always wait, however slow the database is, because a short stall of its disk is no
  /// overload.
  static let waitingAlways = 256
  /// Minimum size of a batch from which the duration per operation is computed.
  static let tellingBatch = 64
  /// Delay of a 503. A crowd of 4,000 clients that retry at once then makes 16,000 requests a second, which take a
  /// quarter of a processor to refuse.
  static let refusalPause: Duration = .milliseconds(250)
  /// Maximum number of delayed refusals. Each keeps a connection.
  static let heldRefusals = 4096
  /// Time after which an operation that waits for its commit is answered with 503. Together with `timeoutLook` it is
  /// less than five seconds.
  static let timeout: Duration = .milliseconds(4_500)
  /// Interval between the committer's checks for operations that have timed out.
  static let timeoutLook: Duration = .milliseconds(250)
  /// Lock timeout of statements. Batches hold locks for milliseconds; an operation that waits longer for one is
  /// isolated by halving its batch, so that it does not delay others.
  static let lockWait: Duration = .milliseconds(500)
  /// Minimum time between attempts of an operation that another session's lock blocks.
  static let blockedPause: Duration = .seconds(1)
  /// Duration of a batch after which the database counts as stalled.
  static let stall: Duration = .seconds(2)
  /// Maximum number of attempts of a batch after deadlocks or lost connections.
  static let attempts = 8
}
