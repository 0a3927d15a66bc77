internal import Domain
internal import Metrics

/// Counts console sign-ins by result. Not thread-safe.
struct SignInMeter {
  private let accepted: Counter
  private let refused: Counter
  private let slowed: Counter
  private let failed: Counter

  init(_ metrics: Metrics) {
    func cell(_ outcome: String) -> Counter {
      metrics.counter(
        "upmc_sign_ins_total", "Attempts to sign in to the console, by how they ended.", ["outcome": outcome])
    }
    (accepted, refused, slowed, failed) = (cell("accepted"), cell("refused"), cell("too-many"), cell("failed"))
  }

  /// Counts a sign-in.
  /// - Parameter code: the reason of the failure; nil if the sign-in succeeded.
  func ended(_ code: Problem.Code?) {
    switch code {
    case nil: accepted.add()
    case .badCredential, .forbidden, .conflict: refused.add()
    case .tooManyAttempts: slowed.add()
    default: failed.add()
    }
  }
}
