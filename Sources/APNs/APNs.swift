/// The way to Apple: takes batches of recipients, keeps HTTP/2 connections to APNs busy with them, and says for each what
/// became of it.
///
/// ```
///   any thread                        thread "apns-0" (APNsSender.run)                            thread "apns-dns-0"
///   offer(batch) ──gate──► inbox ──► SenderLoop ──► Pool (one per PushRoute) ──► Connection × n       Resolver
///   set(credential), set(token) ─►        │              │ queue by lane             │ TLS + HTTP/2      ▲
///                                         │              └── successor, back-off ────┼───── look up ─────┘
///   results(…), tokenNeeded(…) ◄──────────┴───────────── one batch per turn ◄────────┘
/// ```
///
/// A route (app, environment) has its own queue, connections, token and back-off, so that one app's trouble stalls nobody
/// else. A connection lives like this (`ConnectionState`):
///
/// ```
///   connecting ──► securing ──► probing ──────► ready ──────► draining ──► closed
///      │ TCP, 10 s    │ TLS, 10 s  │ one request    │ up to the     │ no new requests; what was accepted
///      │              │            │ at a time      │ peer's limit  │ before finishes or times out
///      └──────────────┴────────────┴────────────────┴───────────────┴──► closed, at any time, by loss
/// ```
///
/// *Probing* lasts until the peer's SETTINGS and the first answer that is not a 403 have come: with a provider token APNs
/// allows one stream until it has seen a good one. *Draining* begins with GOAWAY, with a token that APNs calls expired,
/// and when stream ids run low; the next connection is on its way by then.
///
/// Invariants:
/// - Each target of each batch taken gets exactly one result.
/// - A request ends *answered*, *not processed* (sent again at once elsewhere while its binding is fresh) or *unknown*
///   (reset, lost, no answer in time); nothing is called "not processed" unless the protocol guarantees it.
/// - Nothing is submitted whose binding was read more than `PushBatch.freshNanoseconds` ago, nor after its expiry.
/// - At most one connection per route is being made at any time; repeated failures wait 1…60 s with jitter.
/// - Provider tokens are never minted here: `tokenNeeded` asks the owner, who shares one per key among all nodes.
///
/// Failure: the peer and the network can cause anything but a trap. A route without a connection gives its queue back as
/// not processed and refuses offers until it is time to try again.
package enum APNs {
  /// Numbers of this module: unit, reason, source.
  package enum Limits {
    /// Seconds for TCP, and again for TLS: a healthy path needs two round trips each.
    package static let connectSeconds: Int64 = 10
    package static let handshakeSeconds: Int64 = 10
    /// Seconds until an unanswered request is given up; APNs sometimes never answers a stream.
    package static let requestSeconds: Int64 = 25
    /// Requests given up in a row before the connection itself is doubted.
    package static let timeoutsBeforePing = 3
    /// Requests given up in a row before a connection is replaced although it answers PINGs.
    package static let timeoutsBeforeRetiring = 10
    /// Seconds that a proven connection may stay limited to one request before it is replaced.
    package static let collapsedSeconds: Int64 = 60
    /// Seconds a PING may stay unanswered.
    package static let pingSeconds: Int64 = 10
    /// Seconds of silence before a PING keeps middle boxes from forgetting the connection.
    package static let idlePingSeconds: Int64 = 300
    /// TCP keepalive: seconds of silence before probing, and until unacknowledged bytes mean a dead peer.
    package static let keepAliveSeconds: Int64 = 60
    package static let unacknowledgedSeconds: Int64 = 30
    /// Requests in flight on one connection, also when APNs allows more (1,000 as seen): half of it leaves room for a
    /// limit that falls while requests are on their way.
    package static let streamsPerConnection = 500
    /// A connection is replaced when its stream ids pass this; they end at 2^31 (RFC 9113 §5.1.1).
    package static let lastStreamID: Int32 = 1 << 30
    /// Seconds of back-off after connection failures: doubles from the first to the last value.
    package static let backOffSeconds: ClosedRange<Double> = 1...60
    /// A connection lost before this age, in seconds, counts as a failure to connect.
    package static let youngSeconds: Int64 = 5
    /// Connections of one route that may be made within so many seconds.
    package static let openings = 8
    package static let openingsSeconds: Int64 = 10
    /// Times that one target is sent again by us before its fate is left to the dispatcher.
    package static let quickResends: UInt8 = 3
    /// Apple refuses a provider token older than an hour and new ones more often than every 20 minutes.
    package static let tokenLifeSeconds: Int64 = 3600
    package static let tokenRestSeconds: Int64 = 1200
    /// Seconds before the end of its life that a token is replaced.
    package static let tokenRenewalSeconds: Int64 = 600
    /// Seconds between two questions for a token.
    package static let tokenRequestSeconds: Int64 = 5
    /// Seconds that a route rests after TooManyProviderTokenUpdates.
    package static let tokenThrottleSeconds: Int64 = 120
    /// Targets that may wait in one route; more are refused at `offer`.
    package static let queuedTargets = 20_000
    /// Batches on their way into the sender's thread; and room beside them for commands (credentials, tokens, look-ups).
    package static let inboxBatches = 4096
    static let inboxCommands = 65_536
    /// Names waiting to be looked up.
    static let resolverQuestions = 4096
    /// APNs' limit of a body, in bytes, for everything but VoIP.
    package static let payloadBytes = 4096
    /// An `apns-collapse-id` has at most 64 bytes.
    package static let collapseIDBytes = 64
    /// Bytes read from one connection before others get their turn.
    static let bytesPerTurn = 262_144
  }
}
