/// Sends pushes to a push network over HTTP/2, independent of the network: queues with priority lanes, pools of
/// connections, and connection management. `APNs` and `FCM` build on it; each adds its credentials, request encoding
/// and error handling.
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
/// A pool consists of `PoolRoutes` (whose queue is served next) and `PoolConnections` (how many connections, and which
/// retires). A connection consists of its byte stream (`Transport`), its requests (`OpenRequests`) and the state
/// machine `ConnectionState`, which decides what to do next.
///
/// **Bulkheads.** A route (app and environment) has its own queue, bounded per lane, and its own fault state. Routes
/// with the same credential share connections, but none may use all of their streams. A route whose refusals the
/// network would hold against the others can be given a pool of its own (`PushRouter.isolate`).
///
/// **Lanes.** Urgent pushes are sent before normal ones, normal before bulk, and every connection reserves streams and
/// window bytes for the more urgent lanes (`StreamShares`), so that an urgent push need not wait for answers to others.
/// Within a lane messages take equal turns (`LaneQueue`), and so do routes.
///
/// **How many connections.** A pool has as many connections as the requests in flight and the backlog need, by Little's
/// law (`ConnectionDemand`). They are opened one at a time. Surplus ones are closed, except the last, which is replaced
/// if it is lost within ten minutes of the last push. The states of a connection (`ConnectionState`):
///
/// ```
///   connecting ──► tunnelling ──► securing ──► probing ──────► ready ──────► draining ──► closed
///      │ TCP, 10 s    │ CONNECT,     │ TLS, 10 s  │ one request    │ up to the     │ no new requests; open ones
///      │              │ 10 s         │            │ at a time      │ peer's limit  │ finish or time out
///      └──────────────┴──────────────┴────────────┴────────────────┴───────────────┴──► closed, at any time, by loss
/// ```
///
/// *Tunnelling* is skipped without a proxy. With one, the proxy's name is resolved and its addresses are connected to;
/// the network's own name is passed to the proxy, anew on each connection, and never resolved here. A proxy that
/// refuses the tunnel counts as a failure to connect: nothing was submitted, so no result is unknown.
///
/// *Probing* lasts until the peer's SETTINGS have arrived, within 10 s at most, and, if the network limits unproven
/// connections (`PoolPlan.needsProof`), the first answer that is not a 403. *Draining* begins with GOAWAY, at the
/// request of the network's adapter, after repeated request timeouts, when the peer allows only one request for a
/// minute, when answers are much slower than on the other connections, when fewer connections suffice, and when the
/// pool stops. A connection that has become old or short of stream ids drains when the next one is ready, or at once if
/// no push was sent lately. If a connection is silent for 3 s while requests wait, it sends a PING and no more
/// requests; if the silence lasts another 10 s, it is closed.
///
/// Invariants:
/// - Each target of each batch taken gets exactly one result.
/// - A request ends *answered*, *not processed* (then it is resent at once, up to `Limits.quickResends` times) or
///   *unknown* (reset, lost, timed out). It is *not processed* only if the protocol guarantees that.
/// - No push is submitted if reading its device's data ended more than `PushBatch.freshNanoseconds` ago, nor after its
///   expiry.
/// - At most one connection per pool is being opened at any time. After a failure, the pool waits up to 60 s before the
///   next attempt (`BackOff`).
///
/// Failure: whatever the peer and the network do, they cannot cause a trap. A pool without a connection returns what
/// it has queued as not processed and refuses offers until the next attempt to connect.
///
/// Decision 074.
package enum PushTransport {
  /// Limits of this module.
  package enum Limits {
    /// Timeout of connecting by TCP in seconds, for all addresses of the host together. A healthy path needs one round
    /// trip.
    static let connectSeconds: Int64 = 10
    /// Timeout of the TLS handshake in seconds. A healthy path needs at most two round trips.
    static let handshakeSeconds: Int64 = 10
    /// Seconds that the peer has after the TLS handshake to send its SETTINGS, the first frame of every connection.
    static let settingsSeconds: Int64 = 10
    /// Timeout of a request in seconds; APNs sometimes never answers a stream.
    package static let requestSeconds: Int64 = 25
    /// Number of consecutive request timeouts after which a PING checks the connection.
    static let timeoutsBeforePing = 3
    /// Number of consecutive request timeouts after which a connection is replaced even if it answers PINGs.
    static let timeoutsBeforeRetiring = 10
    /// Seconds that a ready connection may stay limited to one concurrent request before it is replaced.
    package static let collapsedSeconds: Int64 = 60
    /// Timeout of a PING in seconds.
    package static let pingSeconds: Int64 = 10
    /// Seconds of silence after which a PING is sent, to keep middleboxes from dropping the connection.
    static let idlePingSeconds: Int64 = 300
    /// Seconds of silence on a connection through a proxy after which a PING is sent; many proxies close connections
    /// that are idle for five minutes.
    static let tunnelledIdlePingSeconds: Int64 = 240
    /// Seconds of silence after which TCP sends the first keepalive probe.
    static let keepAliveSeconds: Int64 = 60
    /// Seconds after which unacknowledged bytes mean that the peer is dead (`TCP_USER_TIMEOUT`).
    static let unacknowledgedSeconds: Int64 = 30
    /// Maximum normal and bulk requests in flight on one connection, even if the peer allows more (observed: APNs
    /// 1,000, Google 100). Half of the larger value leaves room for a limit that the peer lowers while requests are in
    /// flight. Urgent requests can exceed it by a sixteenth.
    package static let streamsPerConnection = 500
    /// The highest stream id used before a connection is replaced; the protocol's limit is 2^31 (RFC 9113 §5.1.1).
    package static let lastStreamID: Int32 = 1 << 30
    /// The approximate age at which a connection is replaced (within 25 %); Apple advises hours to days.
    package static let connectionAge: Duration = .seconds(24 * 3600)
    /// Maximum connections of one credential in one environment. Eight connections with 500 requests each carry 26,000
    /// pushes a second at a round trip of 150 ms (Korea to California).
    package static let connectionsPerPool = 8
    /// A connection's streams divided by this number are reserved for urgent messages, and as many again for urgent and
    /// normal ones.
    static let reservePart = 16
    /// While several routes share connections, each leaves all streams divided by this number to the others.
    static let routeReservePart = 4
    /// The number of streams that a connection is assumed to allow until the peer has allowed more than one.
    static let assumedStreams = 100
    /// Seconds within which the backlog should be submitted: half the time that a token read from the database counts
    /// as fresh.
    static let drainSeconds = 0.25
    /// Maximum targets that a message, or a route, may submit before the next one is served.
    static let turnTargets = 32
    /// Maximum requests submitted per pass, before output is written.
    static let requestsPerTurn = 64
    /// Maximum number of message templates that a pool caches.
    static let templates = 8
    /// Seconds after the last push during which a pool that has lost its last connection opens another one although
    /// nothing waits. A connection that is not lost stays open longer.
    static let warmSeconds: Int64 = 600
    /// Seconds for which a connection must be surplus before it is closed.
    static let surplusSeconds: Int64 = 600
    /// Seconds of silence with open requests after which no more are submitted until the peer sends something.
    package static let stallSeconds: Int64 = 3
    /// The number of answers over which latency is smoothed, approximately.
    static let latencyAnswers = 16
    /// Minimum number of answers or open requests needed to judge a connection's speed.
    static let judgedRequests = 10
    /// A connection is too slow if its latency exceeds that of the others by this factor and by `slowMilliseconds`.
    static let slowFactor = 3.0
    /// Milliseconds by which a slow connection's latency must exceed that of the others, besides `slowFactor`.
    static let slowMilliseconds: Int64 = 200
    /// A connection is replaced if it is too slow at this many consecutive reviews, one per second.
    package static let slowTicks = 3
    /// Seconds for which an address that failed is tried after all others.
    static let addressFailureSeconds: Int64 = 300
    /// Seconds for which a route whose settings were refused sends nothing, unless its app is resumed or gets a new
    /// credential.
    package static let faultSeconds: Int64 = 10
    /// Seconds of back-off after connection failures: doubles with each failure from the lower to the upper bound.
    /// Jitter then shortens it by up to half.
    package static let backOffSeconds: ClosedRange<Double> = 1...60
    /// A connection lost before it is this old, in seconds, counts as a failed connection attempt.
    package static let youngSeconds: Int64 = 5
    /// Maximum connections of one pool opened within `openingsSeconds`.
    package static let openings = 8
    /// Seconds within which one pool opens at most `openings` connections.
    static let openingsSeconds: Int64 = 10
    /// Maximum resends of one target by this module; after that the dispatcher decides.
    package static let quickResends: UInt8 = 3
    /// Maximum targets without a result in one lane of one route; `offer` refuses more. A single larger batch is
    /// accepted if the lane is empty.
    package static let queuedTargets = 20_000
    /// Number of items in a sender's inbox at which normal and bulk batches are refused; urgent ones at twice the
    /// number.
    static let inboxBatches = 4096
    /// Capacity of a sender's inbox in addition to `inboxBatches`: for further urgent batches, and for commands
    /// (credentials, tokens, look-ups), which must never be lost.
    static let inboxCommands = 65_536
    /// Maximum queued look-ups of one resolver.
    static let resolverQuestions = 4096
    /// Maximum queued look-ups per customer, where customers choose the host name.
    package static let questionsOfOne = 64
    /// Maximum concurrent look-ups of host names that customers choose.
    package static let customersResolverThreads = 4
    /// Maximum addresses tried per host name; Apple and Google publish fewer than ten.
    static let addresses = 16
    /// The flow-control window assumed per request, in bytes: the payload limit of an ordinary push (VoIP pushes and
    /// FCM's JSON envelope can exceed it). Each lane leaves this much of the window free for every more urgent lane.
    package static let payloadBytes = 4096
    /// Maximum bytes read from one connection per event-loop iteration, so that others are served too.
    static let bytesPerTurn = 262_144
    /// Maximum delay in seconds accepted from a peer's `Retry-After`; a longer one is cut to it.
    static let longestRetryAfter: Int64 = 86_400
    /// Maximum bytes read from a connection after a failed write: enough for the answers to all its open requests.
    static let lastBytes = 1_048_576
    /// Maximum size of the answer to a `SingleRequest`, in bytes: Apple lists up to 10,000 channels in one answer.
    static let singleAnswerBytes = 1_048_576
    /// Maximum size of an answer's body in bytes; APNs sends about 50, FCM up to about 2,000.
    static let answerBytes = 16_384
  }
}
