/// Numbers of the private database: unit, reason, source.
enum Limits {
  /// Longest path of a Unix socket, bytes (`unix(7)`: 108 with the terminator).
  static let socketPathBytes = 107
  /// How often a server that is starting or stopping is looked at: a fraction of the 50 ms a start takes.
  static let pause: Duration = .milliseconds(3)
  /// Starting may include the recovery of `max_wal_size` bytes of log after a crash.
  static let startTimeout: Duration = .seconds(600)
  /// A server that runs but neither answers nor says why has its socket within milliseconds; this is for a machine
  /// under heavy load.
  static let answerTimeout: Duration = .seconds(60)
  /// What a killed server leaves (its socket, its memory in its children's hands) is gone within a second or two.
  static let remainsTimeout: Duration = .seconds(10)
  /// Asking whether a user reaches a directory: two programs, on a machine under load.
  static let probeTimeout: Duration = .seconds(30)
  /// Making a cluster takes a second or two; ten minutes mean a disk that does not answer.
  static let initdbTimeout: Duration = .seconds(600)
  /// Another `upmc` that starts or stops the server is waited for this long: making a cluster takes seconds.
  static let lockTimeout: Duration = .seconds(120)
  /// A fast shutdown writes all dirty buffers; after this long the server is told to stop at once (and recovers at
  /// its next start).
  static let stopTimeout: Duration = .seconds(60)
  /// A log larger than this is moved to `postgres.log.1` at the next start, bytes.
  static let logBytes = 10 << 20
}
