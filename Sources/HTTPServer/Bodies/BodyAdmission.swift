/// What was asked about the present request's body before it came, and how long it may be. Pure.
///
/// ```
///   not asked ──► held ──► given ──► end: not asked
///        └───────────────────┘
/// ```
/// Invariant: a request whose body was asked about has its number, and is counted, since then.
final class BodyAdmission {
  private enum Leave {
    case notAsked
    /// The client waits until the handler knows who it is.
    case held
    case given
  }

  private var leave = Leave.notAsked
  /// Bytes.
  private(set) var limit = 0

  func asked(isHeld: Bool) {
    leave = isHeld ? .held : .given
  }

  /// The handler knows who asks. False when nobody waits for that.
  func goOn() -> Bool {
    guard leave == .held else { return false }
    leave = .given
    return true
  }

  /// The body begins to come. Returns whether it has one that is not too long, as far as its length was said.
  func begin(_ framing: RequestHead.Framing, limit: Int) -> Bool {
    self.limit = limit
    return switch framing {
    case .none: false
    case .length(let length): length <= limit
    case .chunked: true
    }
  }

  /// The request is whole, or refused. Returns whether it was asked about.
  func end() -> Bool {
    guard leave != .notAsked else { return false }
    leave = .notAsked
    return true
  }
}
