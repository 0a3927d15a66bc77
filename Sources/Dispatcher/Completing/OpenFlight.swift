internal import Domain

/// A batch in flight, with the number of results that are still missing.
struct OpenFlight {
  let flight: Flight
  private var open: Int
  /// Number of results by name; empty unless the batch is traced.
  private var results: [String: Int] = [:]
  /// The reason, or else the result's name, of the first push that was not accepted; nil if there is none or the batch
  /// is not traced.
  private var reason: String?

  init(_ flight: Flight) {
    self.flight = flight
    open = flight.batch.targets.count
  }

  /// Counts a result. Returns true if it was the last one missing.
  mutating func isOver(after result: SubmissionResult) -> Bool {
    open -= 1
    if flight.span != nil {
      let (name, why) = Self.named(result.kept)
      results[name, default: 0] += 1
      if result != .accepted, reason == nil { reason = why ?? name }
    }
    return open == 0
  }

  func record(_ spans: DispatchSpans?) {
    if flight.span != nil { spans?.pushed(flight, results, reason) }
  }

  private static func named(_ result: SubmissionResult) -> (name: String, reason: String?) {
    switch result {
    case .accepted: ("accepted", nil)
    case .rejected(let reason): ("rejected", reason)
    case .badToken(let reason, _): ("bad_token", reason)
    case .retry(let reason, _): ("retry", reason)
    case .deviceBusy(let reason, _): ("device_busy", reason)
    case .wrongEnvironment(let reason): ("wrong_environment", reason)
    case .notProcessed: ("not_processed", nil)
    case .unknown(let reason): ("unknown", reason)
    case .credentialFault(let reason): ("credential_fault", reason)
    case .noCredential(let reason): ("no_credential", reason)
    case .stale: ("stale", nil)
    }
  }
}
