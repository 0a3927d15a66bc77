/// The way to a push network over HTTP/2, whichever network it is: queues with lanes, pools of connections, and the care
/// that connections need. `APNs` and `FCM` are built on it; each adds its credential, its words and its requests.
///
/// ```
///   a network's sender                       this module, all on the sender's thread               threads "…-dns-…"
///   offer(batch) ─Entrance─► its inbox ► Switchboard ──► RouteQueue (app, environment)                  Resolver
///                                            │             │ lanes, messages in turn                       ▲
///                          PoolPlanner ◄─────┤             ▼                                               │
///                          (the network)     │          Pool (credential, environment) ── successor, back-off
///                                            │             │ lanes, routes in turn     ◄── PoolDoor (the network):
///                                            ▼             ▼                               may it go, what is written,
///   results(…) ◄──────────────────────── Outbox ◄── Connection × n, TLS + HTTP/2           what an answer means
/// ```
///
/// A pool is its routes (`PoolRoutes`: whose turn it is) and its connections (`PoolConnections`: how many, and which one goes);
/// a connection is its bytes (`Transport`), its requests (`OpenRequests`) and the pure `ConnectionState` that says what is due.
///
/// **Bulkheads.** A route has its own queue, bounded by lane, and its own fault. Routes with the same credential share
/// connections, and none gets all of their streams. A route whose refusals would be held against the others can be given
/// a pool of its own (`PushRouter.isolate`).
///
/// **Lanes.** Urgent goes before normal, normal before bulk, and the last streams and bytes of the window of every
/// connection are kept for the more urgent ones (`StreamShares`): an urgent message waits for no answer to another one.
/// Within a lane messages take equal turns (`LaneQueue`), and so do routes.
///
/// **How many connections.** What is under way plus what waits, by Little's law (`ConnectionDemand`): made one at a time, kept warm
/// for ten minutes after the last push. A connection lives like this (`ConnectionState`):
///
/// ```
///   connecting ──► tunnelling ──► securing ──► probing ──────► ready ──────► draining ──► closed
///      │ TCP, 10 s    │ CONNECT,     │ TLS, 10 s  │ one request    │ up to the     │ no new requests; what was accepted
///      │              │ 10 s         │            │ at a time      │ peer's limit  │ before finishes or times out
///      └──────────────┴──────────────┴────────────┴────────────────┴───────────────┴──► closed, at any time, by loss
/// ```
///
/// *Tunnelling* is left out where there is no proxy. With one, its name is looked up and its addresses are connected to; the
/// network's own name is looked up by nobody here, and is told to the proxy, on each connection anew. What it answers that
/// opens no tunnel is a failure to connect like any other: nothing was submitted, so nothing is unknown.
///
/// *Probing* lasts until the peer's SETTINGS have come and, where the network allows little to whoever has proved
/// nothing (`PoolPlan.needsProof`), the first answer that is not a 403. *Draining* begins with GOAWAY, when the network's
/// door says so, and with answers much slower than its siblings'. A connection that grows old or short of stream ids
/// goes on until the next one is ready. One that is silent for 3 s while requests wait gets a PING and no more requests
/// before it answers; without answer it is closed after another 10 s.
///
/// Invariants:
/// - Each target of each batch taken gets exactly one result.
/// - A request ends *answered*, *not processed* (sent again at once elsewhere while its binding is fresh) or *unknown*
///   (reset, lost, no answer in time); nothing is called "not processed" unless the protocol guarantees it.
/// - Nothing is submitted whose binding was read (to its end) more than `PushBatch.freshNanoseconds` ago, nor after its expiry.
/// - At most one connection per pool is being made at any time; repeated failures wait 1…60 s with jitter.
///
/// Failure: the peer and the network can cause anything but a trap. A pool without a connection gives its queues back as
/// not processed and refuses offers until it is time to try again.
package enum PushTransport {
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
    /// The same through a proxy, many of which end what is quiet for five minutes.
    package static let tunnelledIdlePingSeconds: Int64 = 240
    /// TCP keepalive: seconds of silence before probing, and until unacknowledged bytes mean a dead peer.
    package static let keepAliveSeconds: Int64 = 60
    package static let unacknowledgedSeconds: Int64 = 30
    /// Requests in flight on one connection, also when the peer allows more (APNs 1,000, Google 100 as seen): half of
    /// the larger leaves room for a limit that falls while requests are on their way.
    package static let streamsPerConnection = 500
    /// A connection is replaced when its stream ids pass this; they end at 2^31 (RFC 9113 §5.1.1).
    package static let lastStreamID: Int32 = 1 << 30
    /// A connection is replaced after about so long: Apple advises hours to days.
    package static let connectionAge: Duration = .seconds(24 * 3600)
    /// Most connections of one credential at one environment. 8 with 500 requests each make 26,000 pushes a second at
    /// 150 ms, Korea to California.
    package static let connectionsPerPool = 8
    /// The last sixteenth of a connection's streams is kept for urgent messages, the one before for normal ones too.
    package static let reservePart = 16
    /// A quarter of all streams is kept from any one route, where several share connections.
    static let routeReservePart = 4
    /// Streams that a connection is thought to hold until its peer has allowed more than one.
    static let assumedStreams = 100
    /// Seconds in which what waits should be under way: half of what a binding stays fresh.
    static let drainSeconds = 0.25
    /// Targets of a message, or of a route, until the next one has its turn.
    package static let turnTargets = 32
    /// Requests submitted before the first of them are written.
    static let requestsPerTurn = 64
    /// Messages whose constant header fields are kept ready.
    static let templates = 8
    /// Seconds after the last push that a connection is replaced when lost, though nothing waits.
    package static let warmSeconds: Int64 = 600
    /// Seconds that fewer connections would have done until one is closed.
    package static let surplusSeconds: Int64 = 600
    /// Seconds of silence with open requests after which no more are added before the peer has shown that it lives.
    package static let stallSeconds: Int64 = 3
    /// Answers that the smoothed latency remembers, roughly.
    static let latencyAnswers = 16
    /// Answers or open requests without which a connection's speed is not judged.
    static let judgedRequests = 10
    /// A connection is too slow when it takes so many times as long as its siblings, and so much longer.
    static let slowFactor = 3.0
    static let slowMilliseconds: Int64 = 200
    /// Seconds in a row that it must be too slow.
    package static let slowTicks = 3
    /// Seconds that an address which failed is tried last.
    static let addressFailureSeconds: Int64 = 300
    /// Seconds that a route whose settings were refused is not tried again.
    package static let faultSeconds: Int64 = 10
    /// Seconds of back-off after connection failures: doubles from the first to the last value.
    package static let backOffSeconds: ClosedRange<Double> = 1...60
    /// A connection lost before this age, in seconds, counts as a failure to connect.
    package static let youngSeconds: Int64 = 5
    /// Connections of one pool that may be made within so many seconds.
    package static let openings = 8
    package static let openingsSeconds: Int64 = 10
    /// Times that one target is sent again by us before its fate is left to the dispatcher.
    package static let quickResends: UInt8 = 3
    /// Targets that may wait in one lane of one route; more are refused at `offer`.
    package static let queuedTargets = 20_000
    /// Batches on their way into a sender's thread; and room beside them for commands (credentials, tokens, look-ups).
    package static let inboxBatches = 4096
    package static let inboxCommands = 65_536
    /// Names waiting to be looked up: of all, and of one customer, where customers choose them.
    static let resolverQuestions = 4096
    package static let questionsOfOne = 64
    /// Names looked up at once, where customers choose them.
    package static let customersResolverThreads = 4
    /// Addresses of a name that are tried: Apple and Google give out fewer than ten.
    static let addresses = 16
    /// Bytes of the largest body that either network takes: what a lane leaves of the window is counted in these.
    package static let payloadBytes = 4096
    /// Bytes read from one connection before others get their turn.
    static let bytesPerTurn = 262_144
    /// Seconds that a peer may ask us to wait: more is a mistake, or meant to be one.
    static let longestRetryAfter: Int64 = 86_400
    /// Bytes read of what a lost peer said last: the answers to all requests that one connection may hold.
    static let lastBytes = 1_048_576
    /// Bytes of the answer to a single request: Apple lists up to 10,000 channels in one.
    static let singleAnswerBytes = 1_048_576
    /// Bytes of an answer's body: some 50 of APNs, up to some 2,000 of FCM.
    static let answerBytes = 16_384
  }
}
