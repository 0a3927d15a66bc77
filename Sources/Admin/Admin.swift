internal import Domain

/// The admin door: `/v1/admin` over HTTP, for back-office systems, operators and the console.
///
/// Its requests are few and may take long (counting an audience, reading a page of deliveries), so they leave the HTTP
/// loop: each is copied, waits in one bounded queue, and is carried out straight-line by a thread with a blocking
/// connection of its own.
///
/// ```
///   http-0 ── AdminDoor ──► AdminQueue ──► AdminWorker (thread admin-0…n)
///     ▲         │ full: 503                   │ route → who? → may they? → endpoint → operation
///     │         ▼                             ▼
///     └──────────────── ResponseTicket ◄──────┤
///                          pieces ◄── AdminStreams (thread admin-streams): what goes on for long
/// ```
///
/// **One endpoint, one file**: it reads the request, runs one operation and writes its answer; the rules are the
/// operation's. Every route names its permission in the table of `AdminRoute`, which is checked before the endpoint runs.
///
/// **Order of refusals**: no such path (404) → wrong method (405) → no or bad API key (401) → role does not allow it
/// (403) → wrong media type (415) → whatever the operation says. All as `application/problem+json`.
///
/// **Failure**: when the database is away, requests are answered 503 with Retry-After at once; the connection is made
/// anew with the next one. When the queue is full, they are answered 503 on the loop, without being copied.
package enum Admin {
  /// Numbers of this module: unit, reason.
  package enum Limits {
    /// Requests that may wait for a thread. At a few milliseconds each this is about a second's work.
    package static let waitingRequests = 256
    /// Body of an admin request: 10,000 users with the longest names, as JSON, and room for the rest.
    package static let bodyBytes = 4_194_304
    /// An audience as a file: some 500,000 users with a few variables each. Kept on the disk until it is stored.
    package static let csvBytes = 33_554_432
    /// Body of an upload: the largest film that a notification may show.
    package static let uploadBytes = MediaType.Kind.video.largestBytes
    /// Bodies of all requests that wait for a thread: a few films.
    static let waitingBytes = 128 << 20
    /// Body of a send that is read on an HTTP loop: hundreds of users and the largest payload; parsing it takes well below
    /// a millisecond.
    package static let namedSendBytes = 65_536
    /// What a client is told to wait after 503, in seconds.
    package static let retryAfterSeconds = 1
    /// What somebody is told to wait who failed to sign in too often, in seconds.
    package static let signInRetrySeconds = 900
    /// A statement that runs longer is given up: the client has most likely gone.
    package static let statementTimeout: Duration = .seconds(60)
    /// Answers that are written in pieces at one time: each holds a connection, and little else.
    package static let streams = 256
  }
}
