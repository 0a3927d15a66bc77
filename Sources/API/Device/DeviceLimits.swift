/// Numbers of the device doors: unit, reason.
enum DeviceLimits {
  /// Operations that may wait in one committer: at 100,000 a second a tenth of a second's worth, and 8 times what one
  /// batch takes.
  static let waitingOperations = 8192
  /// How long an operation may have to wait for its commit. Above it newcomers are told 503: devices repeat, and an
  /// answer within 50 ms for 99 of 100 needs as much again for the reading of requests and the writing of answers, twice
  /// where clients and server share two processors.
  static let longestWait: Duration = .milliseconds(15)
  /// Operations that may wait however slow the database is at the moment: a pause of its disk is no overload.
  static let waitingAlways = 256
  /// Operations from which on a batch tells what each of many takes.
  static let tellingBatch = 64
  /// How long a client waits for its 503: a crowd of 4,000 that never rests then asks 16,000 times a second, which is what a
  /// quarter of a processor can refuse.
  static let refusalPause: Duration = .milliseconds(250)
  /// Refused clients that are kept waiting at most; a connection each.
  static let heldRefusals = 4096
  /// How long an operation waits for its commit before it is answered 503: less than five seconds, with the time to
  /// notice it.
  static let timeout: Duration = .milliseconds(4_500)
  /// How often it is looked who has waited for too long.
  static let timeoutLook: Duration = .milliseconds(250)
  /// How long a statement waits for a lock. Batches hold theirs for milliseconds: whoever holds one for longer is met
  /// alone, by halving, and keeps nobody else waiting.
  static let lockWait: Duration = .milliseconds(500)
  /// How long others go first before it is tried again.
  static let blockedPause: Duration = .seconds(1)
  /// How long a batch runs before it is said that the database does not answer.
  static let stall: Duration = .seconds(2)
  /// Tries of a batch that fell victim to a deadlock or a lost connection.
  static let attempts = 8
}
