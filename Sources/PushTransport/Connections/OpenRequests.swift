internal import Domain
internal import HTTP2
internal import Reactor

/// The open requests of a connection: how many it takes, how one is submitted, and how long they have waited.
final class OpenRequests {
  private let loop: EventLoop
  /// Our own limit of requests in flight.
  private let cap: Int
  private var table = InFlightTable()
  private(set) var shares = StreamShares(limit: 1, cap: 1)
  /// The highest limit that the peer has set, which it is expected to restore after lowering it.
  private var usualLimit = 1
  private(set) var latency = Latency()
  /// Mean age of the open requests in seconds, as of the last review.
  private var meanAge = 0.0

  init(loop: EventLoop, cap: Int) {
    self.loop = loop
    self.cap = cap
  }

  static func makeSession() throws(HTTP2Error) -> ClientSession {
    var configuration = ClientSession.Configuration()
    configuration.storedBodyBytes = PushTransport.Limits.answerBytes
    let session = try ClientSession(configuration: configuration)
    // The first answers may carry the peer's time; later ones are not worth parsing.
    session.keepsAllFields = true
    return session
  }

  var count: Int { table.count }

  /// - Parameter limit: number of requests that the peer allows now.
  func streamLimitChanged(to limit: Int) {
    shares = StreamShares(limit: limit, cap: cap)
    usualLimit = max(usualLimit, shares.bulk)
  }

  /// True if HTTP/2's connection window takes a body of this size at once and leaves what more urgent lanes may need,
  /// or if nothing is in flight to wait for.
  func hasWindow(for bytes: Int, _ lane: Lane, _ session: ClientSession) -> Bool {
    table.count == 0 || session.windowBytes >= bytes + StreamShares.windowReserve(lane)
  }

  /// Submits one request. Returns false if the session refuses: nothing was taken.
  func submit(
    _ submission: Submission, _ template: RequestTemplate, _ letter: borrowing EncodedPush, on session: ClientSession
  ) -> Bool {
    let slot = table.reserve()
    let (path, varying, body) = (letter.path, letter.varying, letter.body)
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

  /// Removes the request that ended. Nil if it is no longer there: handling an earlier event of this turn may have
  /// ended the connection.
  func take(_ end: StreamEnd) -> InFlight? {
    table.take(Int(end.tag))
  }

  func takeAll() -> [InFlight] { table.takeAll() }

  func answered(after time: Duration) {
    latency.answered(after: time)
  }

  /// Marks requests that have timed out and returns their streams, to be reset.
  func review(at now: Instant) -> [Int32] {
    let (overdue, age) = table.review(at: now, limit: .seconds(PushTransport.Limits.requestSeconds))
    meanAge = Double(age.nanoseconds) / 1e9
    return overdue
  }

  /// Number of requests on the connection when it is full: the limit that the peer usually sets, or what fits the
  /// window if that is exhausted first.
  func usualStreams(_ session: ClientSession?) -> Int {
    let isWindowFull =
      session.map { !hasWindow(for: PushTransport.Limits.payloadBytes, .bulk, $0) } ?? (table.count > 0)
    let limit = usualLimit > 1 ? usualLimit : PushTransport.Limits.assumedStreams
    return max(1, isWindowFull ? min(table.count, limit) : limit)
  }

  /// Seconds for an answer; nil with too few to judge by. Outstanding answers count too.
  var judgedSeconds: Double? {
    if table.count >= PushTransport.Limits.judgedRequests { return max(latency.seconds, meanAge) }
    return latency.samples >= PushTransport.Limits.judgedRequests ? latency.seconds : nil
  }
}
