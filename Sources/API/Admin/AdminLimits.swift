internal import Domain

/// Numbers of the admin door: unit, reason.
enum AdminLimits {
  /// Requests that may wait for a thread. At a few milliseconds each this is about a second's work.
  static let waitingRequests = 256
  /// Of them one app's. Half, so that two apps can wait; a third one makes them give way.
  static let waitingRequestsOfTenant = 128
  /// Of them one caller's. A console asks for a handful at a time; a back-office system that sends more than this at once
  /// does better with one request for many users.
  static let waitingRequestsOfCaller = 64
  /// Requests that may wait for the thread `passwords`: some seconds of hashing.
  static let waitingPasswords = 40
  /// Of them all strangers': the rest is for accounts that choose a new password.
  static let waitingPasswordsOfStrangers = 32
  /// Of them one address's. A whole company may be behind it, but hardly signs in at the same second.
  static let waitingPasswordsOfAddress = 8
  /// Body of an admin request: 10,000 users with the longest names, as JSON, and room for the rest.
  static let bodyBytes = 4_194_304
  /// An audience as a file: some 500,000 users with a few variables each. Kept on the disk until it is stored.
  static let csvBytes = 33_554_432
  /// Body of an upload: the largest film that a notification may show.
  static let uploadBytes = MediaType.Kind.video.largestBytes
  /// Bodies of all requests that wait for a thread: a few films.
  static let waitingBytes = 128 << 20
  /// Of them one app's: four of the longest that are kept in memory.
  static let waitingBytesOfTenant = 16 << 20
  /// A request with a longer body is a heavy one: a list of people, or a file. What controls anything is a few hundred bytes.
  static let lightBodyBytes = 65_536
  /// Callers that are remembered, twice: more people than work in the console at the same time.
  static let knownCallers = 2_048
  /// How long somebody may bring long bodies after it was last proved who it is. They are proved again when they are there.
  static let proofLife = Duration.seconds(60)
  /// Body of a send that is read on an HTTP loop: hundreds of users and the largest payload; parsing it takes well below
  /// a millisecond.
  static let namedSendBytes = 65_536
  /// A statement that runs longer is given up: the client has most likely gone.
  static let statementTimeout: Duration = .seconds(60)
  /// After so long without an answer a probe checks whether the database answers at all.
  static let silence: Duration = .seconds(5)
  /// A statement of the thread `admin-streams`: others wait for their numbers meanwhile.
  static let liveStatementTimeout: Duration = .seconds(5)
  /// A statement of the thread `admin-exports`, where others wait as well; a piece takes milliseconds.
  static let exportStatementTimeout: Duration = .seconds(20)
  /// A subject that took long to look at rests so many times as long: it takes no more than a fifth of the thread's time.
  static let liveRest = 4
  /// Live views at one time: each holds a connection, and little else.
  static let liveViews = 512
  /// Of them one app's: a large team at work.
  static let liveViewsOfTenant = 64
  /// Of them one caller's: more pages than a browser keeps up with.
  static let liveViewsOfCaller = 8
  /// Exports at one time: they take turns, piece by piece.
  static let exports = 16
  static let exportsOfTenant = 4
  static let exportsOfCaller = 2
}
