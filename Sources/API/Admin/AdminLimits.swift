internal import Domain

/// Numbers of the admin API: unit, reason.
enum AdminLimits {
  /// Requests waiting for a thread. At a few milliseconds each, about a second's work.
  static let waitingRequests = 256
  /// Of these, per app. Half, so that two apps can wait; a third one displaces some of theirs.
  static let waitingRequestsOfTenant = 128
  /// Of these, per caller. A console asks for a handful at a time; a back-office system that sends more at once is
  /// better off with one request for many users.
  static let waitingRequestsOfCaller = 64
  /// Requests waiting for the thread `passwords`: some seconds of hashing.
  static let waitingPasswords = 40
  /// Of these, for all strangers together: the rest is reserved for accounts that choose a new password.
  static let waitingPasswordsOfStrangers = 32
  /// Of these, per address. A whole company may be behind one, but hardly signs in within the same second.
  static let waitingPasswordsOfAddress = 8
  /// Body of an admin request: 10,000 users with the longest names, as JSON, with room to spare.
  static let bodyBytes = 4_194_304
  /// A CSV audience: some 500,000 users with a few variables each. Spooled to disk until it is stored.
  static let csvBytes = 33_554_432
  /// Body of an upload: the largest video that a notification may show.
  static let uploadBytes = MediaType.Kind.video.largestBytes
  /// Bodies in memory of all requests that wait for a thread: 32 of the longest. Files are spooled and do not count.
  static let waitingBytes = 128 << 20
  /// Of these, per app: four of the longest.
  static let waitingBytesOfTenant = 16 << 20
  /// A longer body makes a request heavy: a list of people, or a file. Control calls have a few hundred bytes.
  static let lightBodyBytes = 65_536
  /// Callers remembered per generation, of which there are two: more people than use the console at once.
  static let knownCallers = 2_048
  /// How long an authentication allows long bodies without a further check. The request itself is authenticated again.
  static let proofLife = Duration.seconds(60)
  /// Body of a send that is read on an HTTP loop: hundreds of users and the largest payload; parsing takes well below a
  /// millisecond.
  static let namedSendBytes = 65_536
  /// Statement timeout: by then the client has most likely gone.
  static let statementTimeout: Duration = .seconds(60)
  /// Silence after which a probe checks whether the database still answers.
  static let silence: Duration = .seconds(5)
  /// Statement timeout of the thread `admin-streams`, where other viewers wait for their numbers meanwhile.
  static let liveStatementTimeout: Duration = .seconds(5)
  /// Statement timeout of the thread `admin-exports`, where other exports wait too; one piece takes milliseconds.
  static let exportStatementTimeout: Duration = .seconds(20)
  /// After a query a subject rests for this many times the query's duration, so it takes at most a fifth of the
  /// thread's time.
  static let liveRest = 4
  /// Concurrent live views: each holds a connection, and little else.
  static let liveViews = 512
  /// Of these, per app: a large team at work.
  static let liveViewsOfTenant = 64
  /// Of these, per caller: more pages than a browser keeps up with.
  static let liveViewsOfCaller = 8
  /// Concurrent exports: they are written round-robin, piece by piece.
  static let exports = 16
  static let exportsOfTenant = 4
  static let exportsOfCaller = 2
}
