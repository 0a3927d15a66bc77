/// Numbers of the private database: unit, reason, source.
enum Limits {
  /// Longest path of a Unix socket, in bytes (`unix(7)`: 108 with the terminator).
  static let socketPathBytes = 107
  /// Poll interval while a server starts or stops: a fraction of the 50 ms that a start takes.
  static let pause: Duration = .milliseconds(3)
  /// Starting may include the recovery of `max_wal_size` bytes of log after a crash.
  static let startTimeout: Duration = .seconds(600)
  /// For a server that runs but neither answers nor says why. Its socket normally exists within milliseconds; this
  /// allows for a machine under heavy load.
  static let answerTimeout: Duration = .seconds(60)
  /// The remains of a killed server (its socket, memory held by its children) are gone within a second or two.
  static let remainsTimeout: Duration = .seconds(10)
  /// Checking whether a user reaches a directory: two programs, on a machine under load.
  static let probeTimeout: Duration = .seconds(30)
  /// Creating a cluster takes a second or two; ten minutes mean a disk that does not answer.
  static let initdbTimeout: Duration = .seconds(600)
  /// How long to wait for another `upmc` that starts or stops the server: creating a cluster takes seconds.
  static let lockTimeout: Duration = .seconds(120)
  /// A fast shutdown writes all dirty buffers; after this an immediate one follows (with recovery at the next start).
  static let stopTimeout: Duration = .seconds(60)
  /// A larger log, in bytes, is moved to `postgres.log.1` at the next start.
  static let logBytes = 10 << 20
}
