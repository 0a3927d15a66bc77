internal import Domain
internal import Store
internal import Time

/// The circuit breaker: detects that a route has so many refusals that our configuration, not the devices, must be at
/// fault.
///
/// ```
///   closed ── of the last 200 answers at least 100, and half, are token refusals ──► suspect
///     ▲                                                                                │ the pausing transaction
///     │ resumed by an operator, or by a new credential                                 │ re-reads the app's state
///     │ (refusals of tokens read before then are forgotten)                            ▼ first
///     └─────────────────────────────────────────────────────────────── open: the app is paused, for all nodes
/// ```
/// Each completer judges only the answers that it has received itself. The windows are kept in memory and start empty.
///
/// Decision 078.
struct CircuitBreaker {
  private var windows: [PushRoute: AnswerWindow] = [:]
  /// Routes with too many refusals in their window, until a transaction decides about them.
  private(set) var suspects: Set<PushRoute> = []

  mutating func countGood(_ route: PushRoute) {
    windows[route, default: AnswerWindow()].add(nil)
    // A good answer can clear a suspect before a transaction examines it.
    if suspects.contains(route), windows[route]?.isSuspect != true { suspects.remove(route) }
  }

  mutating func countBad(_ route: PushRoute, _ refusal: AnswerWindow.Refusal) {
    windows[route, default: AnswerWindow()].add(refusal)
    if windows[route]?.isSuspect == true { suspects.insert(route) }
  }

  /// Returns a copy of a route's window in which the refusals from before its app was last resumed no longer count; nil
  /// if the rest is not suspect, or the route has no window.
  /// - Parameter resumedAt: when the app was last resumed; nil if never. Refusals of tokens read earlier do not count.
  func window(_ route: PushRoute, since resumedAt: Timestamp?) -> AnswerWindow? {
    guard var window = windows[route] else { return nil }
    if let resumedAt { window.forget(before: resumedAt) }
    return window.isSuspect ? window : nil
  }

  /// Removes the windows of all routes of an app, which then are no longer suspect.
  mutating func clear(_ app: App.Number) {
    for route in windows.keys where route.app == app { windows[route] = nil }
    suspects = suspects.filter { $0.app != app }
  }

  /// Stops counting the route's refusals of tokens read before the app was resumed. The route is then no longer
  /// suspect, unless the rest of its window is.
  mutating func forget(_ route: PushRoute, before resumedAt: Timestamp) {
    windows[route]?.forget(before: resumedAt)
    if windows[route]?.isSuspect != true { suspects.remove(route) }
  }
}

/// The most recent answers of one route, at most `Limits.breakerAnswers`.
struct AnswerWindow {
  struct Refusal: Sendable {
    let delivery: Confirmations.Delivery
    let reason: String
    /// When the refused token was read.
    let readAt: Timestamp
  }

  /// Ring buffer of answers, nil for each that was no refusal; once full, the oldest is at index `next`.
  private var answers: [Refusal?] = []
  private var next = 0
  private var bad = 0
  /// Refusals that later answers have pushed out of the window since it became suspect.
  private var displaced: [Refusal] = []

  var refusals: [Refusal] { answers.compactMap { $0 } }
  var count: Int { answers.count }
  /// What an open breaker must undo: the refusals in the window, and those that it has held since it became suspect. A
  /// single turn of the completer can receive far more answers than the window holds.
  var undone: [Refusal] { displaced + refusals }

  var isSuspect: Bool { bad >= Limits.breakerLeastRefusals && bad * 2 >= answers.count }

  mutating func add(_ refusal: Refusal?) {
    guard answers.count == Limits.breakerAnswers else {
      answers.append(refusal)
      bad += refusal == nil ? 0 : 1
      return
    }
    // If the window contains only good answers, another one changes nothing.
    if bad == 0, refusal == nil { return }
    if isSuspect, let oldest = answers[next] { displaced.append(oldest) }
    bad += (refusal == nil ? 0 : 1) - (answers[next] == nil ? 0 : 1)
    answers[next] = refusal
    next = (next + 1) % Limits.breakerAnswers
    if !isSuspect { displaced = [] }
  }

  mutating func forget(before time: Timestamp) {
    for index in answers.indices {
      if let refusal = answers[index], refusal.readAt < time {
        answers[index] = nil
        bad -= 1
      }
    }
    displaced.removeAll { $0.readAt < time }
    if !isSuspect { displaced = [] }
  }

  /// The refusals counted by reason, most frequent first: `BadDeviceToken 104, TopicDisallowed 2`. Empty if there are
  /// none.
  var summary: String {
    Dictionary(grouping: refusals, by: \.reason).map { ($0.key, $0.value.count) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
      .map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
