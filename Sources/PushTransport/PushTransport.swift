/// The way to a push network over HTTP/2, whichever network it is: queues with lanes, pools of connections, and the
/// upkeep that connections need. `APNs` and `FCM` are built on it; each adds its credential, its vocabulary and its
/// requests.
///
/// ```
///   a network's sender                     this module, all on the sender's thread            threads "…-dns-…"
///   offer(batch) ─SenderInbox─► inbox ──► PushRouter ──► RouteQueue (app, environment)               Resolver
///                                            │             │ lanes, messages in turn                    ▲
///                         PoolProvider ◄─────┤             ▼                                            │
///                          (the network)     │          Pool (credential, environment) ── successor, back-off
///                                            │             │ lanes, routes in turn  ◄── PushNetworkAdapter:
///                                            ▼             ▼                            may it go, its encoding,
///   results(…) ◄───────────────────── ResultBuffer ◄── Connection × n, TLS + HTTP/2     what an answer means
/// ```
///
/// A pool is its routes (`PoolRoutes`: whose turn it is) and its connections (`PoolConnections`: how many, and which
/// retires). A connection is its bytes (`Transport`), its requests (`OpenRequests`) and the pure `ConnectionState`,
/// which decides what to do next.
///
/// **Bulkheads.** A route has its own queue, bounded by lane, and its own fault. Routes with the same credential share
/// connections, and none gets all of their streams. A route whose refusals would be held against the others can be
/// given a pool of its own (`PushRouter.isolate`).
///
/// **Lanes.** Urgent goes before normal, normal before bulk, and the last streams and window bytes of every connection
/// are reserved for the more urgent lanes (`StreamShares`): an urgent message never waits for the answer to another
/// one. Within a lane messages take equal turns (`LaneQueue`), and so do routes.
///
/// **How many connections.** As many as the requests in flight and the backlog need, by Little's law
/// (`ConnectionDemand`): opened one at a time, kept warm for ten minutes after the last push. The states of a
/// connection (`ConnectionState`):
///
/// ```
///   connecting ──► tunnelling ──► securing ──► probing ──────► ready ──────► draining ──► closed
///      │ TCP, 10 s    │ CONNECT,     │ TLS, 10 s  │ one request    │ up to the     │ no new requests; open ones
///      │              │ 10 s         │            │ at a time      │ peer's limit  │ finish or time out
///      └──────────────┴──────────────┴────────────┴────────────────┴───────────────┴──► closed, at any time, by loss
/// ```
///
/// *Tunnelling* is skipped without a proxy. With one, the proxy's name is resolved and its addresses are connected to;
/// the network's own name is passed to the proxy, anew on each connection, and never resolved here. A proxy's answer
/// that opens no tunnel is a failure to connect like any other: nothing was submitted, so nothing is unknown.
///
/// *Probing* lasts until the peer's SETTINGS have arrived and, if the network limits unproven connections
/// (`PoolPlan.needsProof`), the first answer that is not a 403. *Draining* begins with GOAWAY, at the request of the
/// network's adapter, and when answers are much slower than the siblings'. A connection that grows old or short of
/// stream ids continues until the next one is ready. One that is silent for 3 s while requests wait gets a PING, and no
/// more requests before it answers; without an answer it is closed after another 10 s.
///
/// Invariants:
/// - Each target of each batch taken gets exactly one result.
/// - A request ends *answered*, *not processed* (resent elsewhere at once while its binding is fresh) or *unknown*
///   (reset, lost, timed out); nothing is called "not processed" unless the protocol guarantees it.
/// - No push is submitted whose binding was read (to its end) more than `PushBatch.freshNanoseconds` ago, nor after its
///   expiry.
/// - At most one connection per pool is being opened at any time; repeated failures wait 1…60 s with jitter.
///
/// Failure: whatever the peer and the network do, they cannot cause a trap. A pool without a connection returns its
/// queues as not processed and refuses offers until the next attempt to connect.
///
/// Decision 074.
package enum PushTransport {
  /// Limits of this module, with unit, reason and source.
  package enum Limits {
    /// Seconds for TCP, and again for TLS: a healthy path needs two round trips each.
    package static let connectSeconds: Int64 = 10
    package static let handshakeSeconds: Int64 = 10
    /// Timeout of a request in seconds; APNs sometimes never answers a stream.
    package static let requestSeconds: Int64 = 25
    /// Timeouts in a row before the connection itself is doubted.
    package static let timeoutsBeforePing = 3
    /// Timeouts in a row before a connection is replaced even though it answers PINGs.
    package static let timeoutsBeforeRetiring = 10
    /// Seconds that a proven connection may stay limited to one request before it is replaced.
    package static let collapsedSeconds: Int64 = 60
    /// Timeout of a PING in seconds.
    package static let pingSeconds: Int64 = 10
    /// Seconds of silence before a PING keeps middleboxes from dropping the connection.
    package static let idlePingSeconds: Int64 = 300
    /// The same through a proxy; many proxies close connections that are quiet for five minutes.
    package static let tunnelledIdlePingSeconds: Int64 = 240
    /// TCP keepalive: seconds of silence before probing, and until unacknowledged bytes mean a dead peer.
    package static let keepAliveSeconds: Int64 = 60
    package static let unacknowledgedSeconds: Int64 = 30
    /// Requests in flight on one connection, even if the peer allows more (observed: APNs 1,000, Google 100): half of
    /// the larger leaves room for a limit that falls while requests are in flight.
    package static let streamsPerConnection = 500
    /// A connection is replaced when its stream ids pass this; they end at 2^31 (RFC 9113 §5.1.1).
    package static let lastStreamID: Int32 = 1 << 30
    /// Age at which a connection is replaced, roughly: Apple advises hours to days.
    package static let connectionAge: Duration = .seconds(24 * 3600)
    /// Maximum connections of one credential in one environment. 8 with 500 requests each carry 26,000 pushes a second
    /// at 150 ms, Korea to California.
    package static let connectionsPerPool = 8
    /// One in this many of a connection's streams is reserved for urgent messages, and one more for normal ones too.
    package static let reservePart = 16
    /// One in this many of all streams is kept from any single route while several share connections.
    static let routeReservePart = 4
    /// Streams that a connection is assumed to hold until its peer has allowed more than one.
    static let assumedStreams = 100
    /// Seconds within which the backlog should be in flight: half of what a binding stays fresh.
    static let drainSeconds = 0.25
    /// Targets of a message, or of a route, per turn.
    package static let turnTargets = 32
    /// Requests submitted before the first of them are written.
    static let requestsPerTurn = 64
    /// Messages whose template is cached.
    static let templates = 8
    /// Seconds after the last push during which a lost connection is replaced even if nothing waits.
    package static let warmSeconds: Int64 = 600
    /// How long a connection must be surplus before it is closed, in seconds.
    package static let surplusSeconds: Int64 = 600
    /// Seconds of silence with open requests after which no more are added until the peer shows that it is alive.
    package static let stallSeconds: Int64 = 3
    /// Answers that the smoothed latency remembers, roughly.
    static let latencyAnswers = 16
    /// Minimum answers or open requests to judge a connection's speed.
    static let judgedRequests = 10
    /// A connection is too slow if it takes this many times as long as its siblings, and this much longer.
    static let slowFactor = 3.0
    static let slowMilliseconds: Int64 = 200
    /// Seconds in a row for which it must be too slow.
    package static let slowTicks = 3
    /// Seconds for which a failed address is tried last.
    static let addressFailureSeconds: Int64 = 300
    /// Seconds for which a route whose settings were refused is not retried.
    package static let faultSeconds: Int64 = 10
    /// Seconds of back-off after connection failures: doubles from the first to the last value.
    package static let backOffSeconds: ClosedRange<Double> = 1...60
    /// A connection lost before this age, in seconds, counts as a failure to connect.
    package static let youngSeconds: Int64 = 5
    /// Maximum connections of one pool opened within `openingsSeconds`.
    package static let openings = 8
    package static let openingsSeconds: Int64 = 10
    /// Resends of one target by this module before its fate is left to the dispatcher.
    package static let quickResends: UInt8 = 3
    /// Targets that may wait in one lane of one route; more are refused at `offer`.
    package static let queuedTargets = 20_000
    /// Batches queued for a sender's thread; and room beside them for commands (credentials, tokens, look-ups).
    package static let inboxBatches = 4096
    package static let inboxCommands = 65_536
    /// Names waiting to be looked up: in total, and of one customer where customers choose them.
    static let resolverQuestions = 4096
    package static let questionsOfOne = 64
    /// Names looked up at once where customers choose them.
    package static let customersResolverThreads = 4
    /// Maximum addresses tried per name: Apple and Google publish fewer than ten.
    static let addresses = 16
    /// Flow-control window assumed per request, in bytes: the payload limit of an ordinary push (VoIP pushes and
    /// FCM's JSON envelope can exceed it). Each lane leaves this much of the window free for every more urgent lane.
    package static let payloadBytes = 4096
    /// Bytes read from one connection before others get their turn.
    static let bytesPerTurn = 262_144
    /// Maximum seconds that a peer may ask us to wait: more is a mistake, or an attack.
    static let longestRetryAfter: Int64 = 86_400
    /// Bytes read of a lost peer's last words: the answers to all requests that one connection may hold.
    static let lastBytes = 1_048_576
    /// Bytes of the answer to a single request: Apple lists up to 10,000 channels in one.
    static let singleAnswerBytes = 1_048_576
    /// Bytes of an answer's body: some 50 of APNs, up to some 2,000 of FCM.
    static let answerBytes = 16_384
  }
}
