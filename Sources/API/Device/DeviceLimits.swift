/// Numbers of the device API: unit, reason.
enum DeviceLimits {
  /// Operations that may wait in one committer: a tenth of a second's worth at 100,000 a second, and 8 times what one
  /// batch takes.
  static let waitingOperations = 8192
  /// Longest expected wait for a commit; above it newcomers get 503, because devices retry. For 99 of 100 answers
  /// within 50 ms, reading requests and writing answers needs as much time again, twice that where clients and server
  /// share two processors.
  static let longestWait: Duration = .milliseconds(15)
  /// Operations that may wait however slow the database is: a disk stall is no overload.
  static let waitingAlways = 256
  /// Smallest batch from which the cost per operation is derived.
  static let tellingBatch = 64
  /// How long a 503 is held back: a crowd of 4,000 that never rests then asks 16,000 times a second, which a quarter of
  /// a processor can refuse.
  static let refusalPause: Duration = .milliseconds(250)
  /// Most refusals held back at a time; each keeps a connection.
  static let heldRefusals = 4096
  /// How long an operation waits for its commit before it is answered 503: below five seconds, `timeoutLook` included.
  static let timeout: Duration = .milliseconds(4_500)
  /// How often timeouts are checked.
  static let timeoutLook: Duration = .milliseconds(250)
  /// Lock timeout of a statement. Batches hold locks for milliseconds; an operation that meets a longer one is isolated
  /// by halving, so that it delays no other.
  static let lockWait: Duration = .milliseconds(500)
  /// How long other operations go first before a blocked one is retried.
  static let blockedPause: Duration = .seconds(1)
  /// How long a batch runs before the database counts as stalled.
  static let stall: Duration = .seconds(2)
  /// Attempts of a batch after deadlocks or lost connections.
  static let attempts = 8
}
