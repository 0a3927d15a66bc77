internal import Domain
internal import HTTP2
internal import Reactor

/// The open requests of a connection: limits how many are submitted per lane, submits them, and tracks their age and
/// latency.
final class OpenRequests {
  private let loop: EventLoop
  /// The maximum number of concurrent requests that we allow on the connection.
  private let cap: Int
  private var table = InFlightTable()
  private(set) var shares = StreamShares(limit: 1, cap: 1)
  /// The highest number of bulk requests that the peer's stream limits have allowed so far; the peer is expected to
  /// restore its limit after lowering it.
  private var usualLimit = 1
  private(set) var latency = Latency()
  /// The mean age of the open requests in seconds, at the last review; 0 before the first.
  private var meanAge = 0.0

  init(loop: EventLoop, cap: Int) {
    self.loop = loop
    self.cap = cap
  }

  static func makeSession() throws(HTTP2Error) -> ClientSession {
    var configuration = ClientSession.Configuration()
    configuration.storedBodyBytes = PushTransport.Limits.answerBytes
    let session = try ClientSession(configuration: configuration)
    // Keep all header fields of the first answers, which may carry the peer's time; later ones are not worth parsing.
    session.keepsAllFields = true
    return session
  }

  var count: Int { table.count }

  /// Applies a new limit that the peer has announced.
  /// - Parameter limit: number of concurrent requests that the peer allows now.
  func streamLimitChanged(to limit: Int) {
    shares = StreamShares(limit: limit, cap: cap)
    usualLimit = max(usualLimit, shares.bulk)
  }

  /// Returns true if the connection's flow-control window has room for a body of this size besides the reserve of the
  /// more urgent lanes, or if no request is open (waiting would then never end).
  func hasWindow(for bytes: Int, _ lane: Lane, _ session: ClientSession) -> Bool {
    table.count == 0 || session.windowBytes >= bytes + StreamShares.windowReserve(lane)
  }

  /// Submits one request. Returns false, without side effects, if the session rejects it.
  func submit(
    _ submission: Submission, _ template: RequestTemplate, _ encoded: borrowing EncodedPush, on session: ClientSession
  ) -> Bool {
    let slot = table.reserve()
    let (path, varying, body) = (encoded.path, encoded.varying, encoded.body)
    do throws(HTTP2Error) {
      let id = try session.submit(
        template, path: path.span, varying: varying.span, body: body.span, tag: UInt64(slot))
      table.put(InFlight(submission: submission, streamID: id, submittedAt: loop.now), at: slot)
      return true
    } catch {
      table.release(slot)
      return false
    }
  }

  /// Removes and returns the request that ended; nil if an earlier event of this event-loop iteration has already ended
  /// the connection and all its requests.
  func take(_ end: StreamEnd) -> InFlight? {
    table.take(Int(end.tag))
  }

  func takeAll() -> [InFlight] { table.takeAll() }

  func answered(after time: Duration) {
    latency.answered(after: time)
  }

  /// Marks requests that have timed out and returns the ids of their streams, which the caller resets. Returns each
  /// stream only once.
  func review(at now: Instant) -> [Int32] {
    let (overdue, age) = table.review(at: now, limit: .seconds(PushTransport.Limits.requestSeconds))
    meanAge = Double(age.nanoseconds) / 1e9
    return overdue
  }

  /// Returns the number of bulk requests that the connection holds when full, by the stream limit that the peer usually
  /// sets (`assumedStreams` until it is known). While the flow-control window is full, the number of open requests if
  /// that is lower.
  func usualStreams(_ session: ClientSession?) -> Int {
    let isWindowFull =
      session.map { !hasWindow(for: PushTransport.Limits.payloadBytes, .bulk, $0) } ?? (table.count > 0)
    let limit = usualLimit > 1 ? usualLimit : PushTransport.Limits.assumedStreams
    return max(1, isWindowFull ? min(table.count, limit) : limit)
  }

  /// The latency in seconds for comparison with other connections. With at least `judgedRequests` open requests, their
  /// mean age or the latency of the answers, whichever is greater; with fewer, the latency of the answers, or nil if
  /// fewer than `judgedRequests` were answered.
  var judgedSeconds: Double? {
    if table.count >= PushTransport.Limits.judgedRequests { return max(latency.seconds, meanAge) }
    return latency.samples >= PushTransport.Limits.judgedRequests ? latency.seconds : nil
  }
}

/// The shares of the lanes in a connection's concurrent streams and flow-control window. One share is reserved for
/// urgent messages and another for urgent and normal ones, so that campaigns do not delay a log-in code. A stream limit
/// below `reservePart` leaves no streams to reserve.
struct StreamShares: Equatable {
  /// The limit of the urgent lane. A request may be submitted while fewer requests, of all lanes together, are open on
  /// the connection than the limit of its lane.
  let urgent: Int
  /// The limit of the normal lane.
  let normal: Int
  /// The limit of the bulk lane.
  let bulk: Int

  /// Creates the shares for a limit of the peer.
  /// - Parameters:
  ///   - limit: the peer's limit of concurrent streams.
  ///   - cap: our own limit per connection.
  init(limit: Int, cap: Int) {
    // If the peer allows more than our cap, the reserve for urgent messages comes on top of the cap.
    let most = max(0, min(limit, cap + cap / PushTransport.Limits.reservePart))
    let reserve = most / PushTransport.Limits.reservePart
    urgent = most
    normal = min(cap, most - reserve)
    bulk = max(min(most, 1), min(cap, most - 2 * reserve))
  }

  subscript(lane: Lane) -> Int {
    switch lane {
    case .urgent: urgent
    case .normal: normal
    case .bulk: bulk
    }
  }

  /// Returns the number of bytes of the connection's window that requests of this lane must leave free for more urgent
  /// lanes.
  static func windowReserve(_ lane: Lane) -> Int {
    Int(lane.rawValue) * PushTransport.Limits.payloadBytes
  }
}

/// The exponentially smoothed latency of one connection, from request to answer, in seconds: each answer moves the
/// value by a sixteenth of the difference. The first sixteen answers are averaged with equal weight.
struct Latency {
  private(set) var seconds = 0.0
  /// The number of answers measured.
  private(set) var samples = 0

  mutating func answered(after duration: Duration) {
    let sample = Double(duration.nanoseconds) / 1e9
    samples += 1
    // Average the first samples with equal weight, so that the initial value of 0 does not distort the result.
    seconds += (sample - seconds) / Double(min(samples, PushTransport.Limits.latencyAnswers))
  }

  /// Returns the index of a connection so much slower than the others of its pool that it should be replaced; nil if
  /// there is none, or fewer than two can be judged.
  /// - Parameter seconds: latency of each connection; nil for a connection with too few answers to judge.
  static func outlier(_ seconds: [Double?]) -> Int? {
    let known = seconds.compactMap { $0 }
    guard known.count >= 2, let worst = known.max(), let position = seconds.firstIndex(of: worst) else { return nil }
    // Compare with the (lower) median of the others, most of which are assumed to be healthy.
    let others = known.sorted().dropLast()
    let usual = others[others.startIndex + (others.count - 1) / 2]
    let isSlow =
      worst > usual * PushTransport.Limits.slowFactor
      && worst > usual + Double(PushTransport.Limits.slowMilliseconds) / 1000
    return isSlow ? position : nil
  }
}
