/// Limits of the private database.
enum Limits {
  /// Maximum length of a Unix socket path in bytes (`unix(7)`: 108 including the terminator).
  static let socketPathBytes = 107
  /// The poll interval while the server starts or stops: a fraction of the 50 ms that a start takes.
  static let pause: Duration = .milliseconds(3)
  /// Timeout of a start, which may include recovering `max_wal_size` bytes of log after a crash.
  static let startTimeout: Duration = .seconds(600)
  /// Timeout for a running server that neither accepts connections nor reports why. Its socket normally exists within
  /// milliseconds; the rest is for a machine under heavy load.
  static let answerTimeout: Duration = .seconds(60)
  /// Timeout until the remains of a killed server (its socket, memory held by its children) are gone, normally a second
  /// or two.
  static let remainsTimeout: Duration = .seconds(10)
  /// Timeout of the check whether a user can reach a directory: two programs, on a machine under load.
  static let probeTimeout: Duration = .seconds(30)
  /// Timeout of initdb, which normally takes a second or two; after ten minutes the disk must be unresponsive.
  static let initdbTimeout: Duration = .seconds(600)
  /// Timeout for another `upmc` that starts or stops the server; creating a cluster takes seconds.
  static let lockTimeout: Duration = .seconds(120)
  /// Timeout of a fast shutdown, which writes all dirty buffers. After it, an immediate shutdown follows, and the next
  /// start needs recovery.
  static let stopTimeout: Duration = .seconds(60)
  /// The size in bytes above which the log is moved to `postgres.log.1`.
  static let logBytes = 10 << 20
}
