/// Tracks what the handler has decided about the current request's body before it arrives: nothing yet (`notAsked`), to
/// hold it back (`held`) or to admit it (`given`). Also stores the body's size limit.
///
/// ```
///   not asked ──► held ──► given ──► end: not asked
///        └───────────────────┘
/// ```
/// Invariant: a request whose handler was asked about its body has its random number already, and was counted by the
/// rate limit.
final class BodyAdmission {
  private enum Leave {
    case notAsked
    /// The body is not read until the handler has authenticated the client and admits the body.
    case held
    case given
  }

  private var leave = Leave.notAsked
  /// Size limit in bytes of the body that is being received; meaningless at other times.
  private(set) var limit = 0

  func asked(isHeld: Bool) {
    leave = isHeld ? .held : .given
  }

  /// Records that the handler admits the body. Returns false, changing nothing, if no body is held back.
  func admitBody() -> Bool {
    guard leave == .held else { return false }
    leave = .given
    return true
  }

  /// Records the size limit of the body. Returns whether the body should be read: false if there is none, or its
  /// announced length exceeds `limit`; true for every chunked body.
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
