internal import Reactor

/// Takes requests out of what a client sends, one step at a time. No I/O; asks nobody but the budgets.
///
/// Invariant: `hasMore` is false only when all that has arrived was looked at, so that a turn without news parses nothing.
final class Intake {
  enum Step {
    /// More bytes are needed.
    case wait
    /// The first bytes of a head are there, and more are needed.
    case headHasBegun
    /// The head is complete, and somebody must decide about its body or expectation.
    case head(RequestStore.Facts)
    /// The whole request is there.
    case complete(RequestStore.Facts)
    case refused(Refusal)
    /// The client has nothing more to ask.
    case ended
  }

  /// The client has shut its side; it may still read.
  private(set) var hasEnded = false
  /// Requests, or the beginning of one, wait behind the present one.
  private(set) var hasMore = false
  /// The time for the present head runs. From the start, for who connects has something to say.
  private var headHasBegun = true
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

  /// The present request was handled, and is forgotten.
  func finish(_ request: Request) {
    hasMore = request.store.finish()
  }

  /// The next head may begin when its client likes.
  func awaitHead() {
    headHasBegun = false
  }

  // MARK: After the last one

  /// Forgets what came after the last answer; false when it is too much.
  func drop(_ request: Request) -> Bool {
    dropped += request.store.input.count
    request.store.input.removeAll()
    return dropped <= HTTPLimits.lingerBytes
  }

  // MARK: Reading

  /// Whether the socket should be read in this phase.
  /// - Parameter mayBegin: whether a further request may be answered before what is unsent is taken.
  func isWanted(in phase: ConnectionPhase, _ request: Request, mayBegin: @autoclosure () -> Bool) -> Bool {
    switch phase {
    case .lingering: true
    case .head, .body: !hasEnded && mayBegin()
    // The socket stays watched, to learn of requests sent ahead and of a client that leaves, until enough waits.
    case .handling, .streaming: !hasEnded && (!hasMore || request.store.input.count < HTTPLimits.pipelinedBytes)
    case .opening, .closing, .closed: false
    }
  }
}
