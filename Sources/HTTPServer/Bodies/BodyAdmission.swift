/// Tracks whether the handler was asked about the current request's body before the body arrived, and the body's size
/// limit.
///
/// ```
///   not asked ──► held ──► given ──► end: not asked
///        └───────────────────┘
/// ```
/// Invariant: a request whose handler was asked about its body has a number and counts towards the rate limit.
final class BodyAdmission {
  private enum Leave {
    case notAsked
    /// The body is not read until the handler has authenticated the client and admits the body.
    case held
    case given
  }

  private var leave = Leave.notAsked
  /// Size limit of the body in bytes.
  private(set) var limit = 0

  func asked(isHeld: Bool) {
    leave = isHeld ? .held : .given
  }

  /// Records that the handler admits the body. Returns false if no body is held.
  func admitBody() -> Bool {
    guard leave == .held else { return false }
    leave = .given
    return true
  }

  /// Starts receiving the body. Returns false if there is no body, or its announced length exceeds the limit.
  func begin(_ framing: RequestHead.Framing, limit: Int) -> Bool {
    self.limit = limit
    return switch framing {
    case .none: false
    case .length(let length): length <= limit
    case .chunked: true
    }
  }

  /// Resets the state when the request is complete or refused. Returns whether the handler was asked about its body.
  func end() -> Bool {
    guard leave != .notAsked else { return false }
    leave = .notAsked
    return true
  }
}
