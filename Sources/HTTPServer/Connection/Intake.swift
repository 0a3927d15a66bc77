internal import Reactor

/// Parses requests from a client's bytes, one step at a time, without I/O.
///
/// Invariant: while `hasMore` is false, there is no input, so nothing is parsed.
final class Intake {
  enum Step {
    /// More bytes are needed.
    case wait
    /// The first bytes of a head have arrived; more are needed. Reported at most once per request, to start the head
    /// timeout; never for a connection's first request, whose head timeout runs from the start.
    case headHasBegun
    /// The head is complete, and its body or expectation needs a decision.
    case head(RequestStore.Facts)
    /// The request is complete.
    case complete(RequestStore.Facts)
    case refused(Refusal)
    /// The client has shut down its sending side, and all its requests were handled.
    case ended
  }

  /// True after the client has shut down its sending side; it may still read.
  private(set) var hasEnded = false
  /// True from the arrival of bytes until `finish` removes a request after which no bytes are left.
  private(set) var hasMore = false
  /// False from `awaitHead` to the first byte of the next request. Initially true, because the head timeout of the
  /// first request begins with the connection.
  private(set) var headHasBegun = true
  private var dropped = 0

  func arrived() {
    hasMore = true
  }

  func ended() {
    hasEnded = true
  }

  // MARK: Requests

  func takeHead(of request: Request, _ bodies: BodyRules) -> Step {
    guard hasMore || hasEnded else { return .wait }
    switch request.store.advance(unaskedBytes: bodies.unaskedBytes) {
    case .complete(let facts): return .complete(facts)
    case .head(let facts): return .head(facts)
    case .malformed(let malformed): return .refused(Refusal(malformed))
    case .needMore: break
    }
    let isIdle = request.store.isIdle
    if hasEnded { return isIdle ? .ended : .refused(.cutOff) }
    guard bodies.count(request) else { return .refused(.noRoomForBody) }
    guard !headHasBegun, !isIdle else { return .wait }
    headHasBegun = true
    return .headHasBegun
  }

  func takeBody(of request: Request, limit: Int, _ bodies: BodyRules) -> Step {
    guard bodies.count(request) else { return .refused(.noRoomForBody) }
    switch request.store.receiveBody(limit: limit) {
    case .needMore: return hasEnded ? .refused(.cutOff) : .wait
    case .malformed(let malformed) where malformed.status == .contentTooLarge: return .refused(.tooLarge(limit))
    case .malformed(let malformed): return .refused(Refusal(malformed))
    case .unstorable: return .refused(.noRoomForBody)
    case .complete: return .complete(request.store.facts)
    }
  }

  /// Removes the current request after it was handled.
  func finish(_ request: Request) {
    hasMore = request.store.finish()
  }

  /// Begins to wait for the next request. Until its first byte, the head timeout does not apply.
  func awaitHead() {
    headHasBegun = false
  }

  // MARK: After the last response

  /// Discards input after the last response. Returns false if that is more than `HTTPLimits.lingerBytes` in total.
  func drop(_ request: Request) -> Bool {
    dropped += request.store.input.count
    request.store.input.removeAll()
    return dropped <= HTTPLimits.lingerBytes
  }

  // MARK: Reading

  /// Returns whether the socket should be read in this phase.
  /// - Parameter mayBegin: whether another request may be handled before the client has read the unsent responses.
  func isWanted(in phase: ConnectionPhase, _ request: Request, mayBegin: @autoclosure () -> Bool) -> Bool {
    switch phase {
    case .lingering: true
    case .head, .body: !hasEnded && mayBegin()
    // Keep reading pipelined requests, up to a limit, also to notice a client that disconnects.
    case .handling, .streaming: !hasEnded && (!hasMore || request.store.input.count < HTTPLimits.pipelinedBytes)
    case .opening, .closing, .closed: false
    }
  }
}
