internal import Domain
internal import Operations
internal import Postgres

/// Limits of the admin API.
enum AdminLimits {
  /// Maximum number of requests that wait for the threads `admin-…`. At a few milliseconds each, this is about a
  /// second's work.
  static let waitingRequests = 256
  /// Maximum number of waiting requests of one tenant (`QuotaHolder`). This is half of all, so that the requests of two
  /// apps can wait; those of a third app displace some of theirs.
  static let waitingRequestsOfTenant = 128
  /// Maximum number of waiting requests of one caller. A console makes a handful of requests at a time; a back-office
  /// system that sends more at once should send one request for many users.
  static let waitingRequestsOfCaller = 64
  /// Maximum number of requests that wait for the thread `passwords`, which are some seconds of hashing. The same
  /// maximum applies separately to the thread `provider`.
  static let waitingPasswords = 40
  /// Maximum number of requests of one tenant that wait for one of these two threads. All unauthenticated clients are
  /// one tenant, so the other places are reserved for accounts that are signed in, for example to change a password.
  static let waitingPasswordsOfStrangers = 32
  /// Maximum number of requests of one client address or account that wait for one of these two threads. A whole
  /// company may share an address, but hardly signs in within the same second.
  static let waitingPasswordsOfAddress = 8
  /// Maximum body of an admin request that uploads no file, in bytes: 10,000 of the longest CUIDs as JSON, and some
  /// margin.
  static let bodyBytes = 4_194_304
  /// Maximum size of a CSV file with an audience, in bytes. The file is spooled to disk until it is stored.
  static let csvBytes = Operations.Limits.audienceBytes
  /// Maximum body of an upload, in bytes: the largest video that a notification may show.
  static let uploadBytes = MediaType.Kind.video.largestBytes
  /// Maximum memory for the bodies of all requests that wait in one queue, in bytes: 32 of `bodyBytes`. Spooled files
  /// do not count.
  static let waitingBytes = 128 << 20
  /// Maximum memory for the bodies of one tenant's requests that wait in one queue, in bytes: four of `bodyBytes`. A
  /// single longer body is accepted if the tenant has no other request waiting there.
  static let waitingBytesOfTenant = 16 << 20
  /// Maximum body of a light request, in bytes; a request with a longer one counts as heavy. Longer bodies contain
  /// lists of people or files; control calls have a few hundred bytes.
  static let lightBodyBytes = 65_536
  /// Maximum number of callers in each of the two generations of `KnownCallers`: more people than use the console at
  /// once.
  static let knownCallers = 2_048
  /// Time after an authentication during which a caller may send long bodies without a further check. Each request is
  /// authenticated again before it is carried out.
  static let proofLife = Duration.seconds(60)
  /// Maximum body of a send that is parsed on an HTTP loop, in bytes: hundreds of users and the largest payload.
  /// Parsing it takes well below a millisecond.
  static let namedSendBytes = 65_536
  /// Maximum duration of a statement on an admin thread. After that time the client has most likely disconnected.
  static let statementTimeout: Duration = .seconds(60)
  /// Time without an answer to a statement after which the thread checks that the database still responds; if it does
  /// not, the connection counts as lost.
  private static let silence: Duration = .seconds(5)
  /// Maximum duration of a statement on the thread `admin-streams`, where all other viewers wait meanwhile.
  static let liveStatementTimeout: Duration = .seconds(5)
  /// Maximum duration of a statement on the thread `admin-exports`, where all other exports wait meanwhile. One piece
  /// takes milliseconds.
  static let exportStatementTimeout: Duration = .seconds(20)
  /// Minimum pause between two queries for the same numbers, as a multiple of the duration of the last query, so that
  /// these queries take at most a fifth of the thread's time.
  static let liveRest = 4
  /// Maximum number of concurrent live views. Each needs an HTTP connection and little else.
  static let liveViews = 512
  /// Maximum number of concurrent live views of one tenant: enough for a large team.
  static let liveViewsOfTenant = 64
  /// Maximum number of concurrent live views of one caller: more than a browser keeps open.
  static let liveViewsOfCaller = 8
  /// Maximum number of concurrent exports. One thread writes them in turn, one piece of each.
  static let exports = 16
  static let exportsOfTenant = 4
  static let exportsOfCaller = 2

  /// Returns the options of a thread's database connection.
  /// - Parameter name: the name of the thread's sessions, after "upmc".
  static func connectionOptions(_ name: String, statementTimeout: Duration) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.applicationName = "upmc \(name)"
    options.statementTimeout = statementTimeout
    options.silence = silence
    return options
  }
}
