/// Whether the handler was asked about the current request's body before it arrived, and the body's limit. Pure.
///
/// ```
///   not asked ──► held ──► given ──► end: not asked
///        └───────────────────┘
/// ```
/// Invariant: a request whose body was asked about has had its number, and has been counted, since then.
final class BodyAdmission {
  private enum Leave {
    case notAsked
    /// The client waits until the handler has authenticated it.
    case held
    case given
  }

  private var leave = Leave.notAsked
  /// In bytes.
  private(set) var limit = 0

  func asked(isHeld: Bool) {
    leave = isHeld ? .held : .given
  }

  /// The handler admits the body. Returns false when none was held.
  func goOn() -> Bool {
    guard leave == .held else { return false }
    leave = .given
    return true
  }

  /// The body begins. Returns whether there is one and, as far as its length was announced, it is within the limit.
  func begin(_ framing: RequestHead.Framing, limit: Int) -> Bool {
    self.limit = limit
    return switch framing {
    case .none: false
    case .length(let length): length <= limit
    case .chunked: true
    }
  }

  /// The request is complete or refused. Returns whether the handler was asked about its body.
  func end() -> Bool {
    guard leave != .notAsked else { return false }
    leave = .notAsked
    return true
  }
}
