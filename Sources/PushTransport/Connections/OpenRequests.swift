internal import Domain
internal import HTTP2
internal import Reactor

/// The requests of a connection: how many it takes, how one is submitted, and how long they have waited.
final class OpenRequests {
  private let loop: EventLoop
  /// Our own limit of requests in flight.
  private let cap: Int
  private var table = InFlightTable()
  private(set) var shares = StreamShares(limit: 1, cap: 1)
  /// The most that the peer has allowed: what it will allow again after a fall.
  private var usualLimit = 1
  private(set) var latency = Latency()
  /// Seconds that they have waited on average, as of the last review.
  private var meanAge = 0.0

  init(loop: EventLoop, cap: Int) {
    self.loop = loop
    self.cap = cap
  }

  static func makeSession() throws(HTTP2Error) -> ClientSession {
    var configuration = ClientSession.Configuration()
    configuration.storedBodyBytes = PushTransport.Limits.answerBytes
    let session = try ClientSession(configuration: configuration)
    // The first answers may carry the peer's time; later ones are not worth the reading.
    session.keepsAllFields = true
    return session
  }

  var count: Int { table.count }

  /// - Parameter limit: what the peer allows now.
  func streamLimitChanged(to limit: Int) {
    shares = StreamShares(limit: limit, cap: cap)
    usualLimit = max(usualLimit, shares.bulk)
  }

  /// HTTP/2's connection window still takes a body of this size at once, and leaves what more urgent ones may need (or
  /// nothing is in flight to wait for).
  func hasWindow(for bytes: Int, _ lane: Lane, _ session: ClientSession) -> Bool {
    table.count == 0 || session.windowBytes >= bytes + StreamShares.windowReserve(lane)
  }

  /// Submits one request. False when the session refuses: nothing was taken.
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

  /// The request that ended. Nil when it is not there any more: the owner may have ended the connection while earlier
  /// events of this turn were handled.
  func take(_ end: StreamEnd) -> InFlight? {
    table.take(Int(end.tag))
  }

  func takeAll() -> [InFlight] { table.takeAll() }

  func answered(after time: Duration) {
    latency.answered(after: time)
  }

  /// Marks those whose time is over and returns their streams: they are to be reset.
  func review(at now: Instant) -> [Int32] {
    let (overdue, age) = table.review(at: now, limit: .seconds(PushTransport.Limits.requestSeconds))
    meanAge = Double(age.nanoseconds) / 1e9
    return overdue
  }

  /// Requests that the connection holds when it is full: by the limit that the peer usually sets, or by the window if
  /// that ends first.
  func usualStreams(_ session: ClientSession?) -> Int {
    let isWindowFull =
      session.map { !hasWindow(for: PushTransport.Limits.payloadBytes, .bulk, $0) } ?? (table.count > 0)
    let limit = usualLimit > 1 ? usualLimit : PushTransport.Limits.assumedStreams
    return max(1, isWindowFull ? min(table.count, limit) : limit)
  }

  /// Seconds for an answer, as far as there are enough of them to judge by. Answers that do not come count too.
  var judgedSeconds: Double? {
    if table.count >= PushTransport.Limits.judgedRequests { return max(latency.seconds, meanAge) }
    return latency.samples >= PushTransport.Limits.judgedRequests ? latency.seconds : nil
  }
}
