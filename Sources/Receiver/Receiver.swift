/// The device doors: registration, groups, receipts, reads and badge over HTTP; and the pages and media that payloads name
/// (`HostedDoor`).
///
/// A request takes this way, all on one thread:
///
/// ```
///   bytes ──► HTTPServer ──► endpoint: JSON → Operation, credential checked (HMAC, no database)
///                                │
///                                ▼
///                            Committer ── waits while the previous commit runs, then goes with all that waits
///                                │
///   answer ◄── endpoint: OperationAnswer → JSON ◄──┘   one send per connection and turn
/// ```
///
/// Nothing is answered 2xx before its commit. When the queue is full (`Refusals`), or the database is away or does not
/// answer, requests are answered 503 with Retry-After instead of waiting without end: as not carried out where that is
/// known, for they still waited or were rolled back, and as unknown where the answer of a COMMIT is outstanding.
package enum Receiver {
  package enum Limits {
    /// Operations that may wait in one committer: at 100,000 a second a tenth of a second's worth, and 8 times what one
    /// batch takes.
    package static let waitingOperations = 8192
    /// How long an operation may have to wait for its commit. Above it newcomers are told 503: devices repeat, and an
    /// answer within 50 ms for 99 of 100 needs as much again for the reading of requests and the writing of answers, twice
    /// where clients and server share two processors.
    package static let longestWait: Duration = .milliseconds(15)
    /// Operations that may wait however slow the database is at the moment: a pause of its disk is no overload.
    package static let waitingAlways = 256
    /// Operations from which on a batch tells what each of many takes.
    package static let tellingBatch = 64
    /// How long a client waits for its 503: a crowd of 4,000 that never rests then asks 16,000 times a second, which is what a
    /// quarter of a processor can refuse.
    package static let refusalPause: Duration = .milliseconds(250)
    /// Refused clients that are kept waiting at most; a connection each.
    package static let heldRefusals = 4096
    /// How long an operation waits for its commit before it is answered 503: less than five seconds, with the time to
    /// notice it.
    package static let patience: Duration = .milliseconds(4_500)
    /// How often it is looked who has waited for too long.
    static let patienceLook: Duration = .milliseconds(250)
    /// How long a statement waits for a lock. Batches hold theirs for milliseconds: whoever holds one for longer is met
    /// alone, by halving, and keeps nobody else waiting.
    static let lockWait: Duration = .milliseconds(500)
    /// How long others go first before it is tried again.
    static let blockedPause: Duration = .seconds(1)
    /// How long a batch runs before it is said that the database does not answer.
    static let stall: Duration = .seconds(2)
    /// Tries of a batch that fell victim to a deadlock or a lost connection.
    package static let attempts = 8
    /// What a client is told to wait after 503, in seconds.
    package static let retryAfterSeconds = 1
    /// Pages and media that one HTTP loop keeps in memory, in bytes: some hundred pages and a few pictures.
    static let hostedCacheBytes = 32 << 20
    /// Reads of pages and media that wait for the database; more are told to come again.
    static let hostedWishes = 1024
    /// After so long without an answer a probe checks whether the database answers at all.
    static let hostedSilence: Duration = .seconds(5)
    /// How long others may keep a page, in seconds (a week).
    static let hostedCacheSeconds: Int64 = 604_800
    /// 128 bits in base64url.
    static let hostedNameBytes = 22
  }
}
