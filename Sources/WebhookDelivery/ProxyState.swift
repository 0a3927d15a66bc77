internal import HTTPClient
internal import Reactor

/// State of the operator's proxy, shared by all webhooks.
///
/// ```
///   unproven ──one attempt──► good: no limit ──401, 407──► rests ──5 min──► unproven
///         └─────────────────── 401, 407 ──────────────────────▲
/// ```
///
/// The proxy must not receive a wrong password once per webhook, because directory services lock an account after a few
/// failures.
struct ProxyState {
  private enum State {
    case good
    case unproven
    case isTried
    case rests(until: Instant)
  }

  private var state = State.unproven
  private var speaksAt = Instant(nanoseconds: 0)

  /// Returns how many attempts may start through the proxy now.
  func room(at now: Instant) -> Int {
    switch state {
    case .good: .max
    case .unproven: 1
    case .isTried: 0
    case .rests(let until): now >= until ? 1 : 0
    }
  }

  /// Records the start of an attempt through the proxy. `ended` must follow.
  mutating func began() {
    if case .good = state { return }
    state = .isTried
  }

  mutating func ended(_ outcome: Result<HTTPResponse, HTTPClientError>, at now: Instant) {
    guard case .failure(.noTunnel(let fault)) = outcome else {
      // Ignore attempts that began before a refusal, which say nothing about the current password.
      if case .isTried = state { state = .good }
      return
    }
    if fault.isAboutPassword {
      state = .rests(until: now + WebhookDeliveryLimits.passwordRest)
    } else if case .isTried = state {
      // A proxy that answers 502 has accepted the password; without any answer, nothing is known.
      state = fault.status == nil ? .unproven : .good
    }
  }

  /// Returns true if a failure may be logged now, which limits the rate of log entries.
  mutating func speaks(at now: Instant) -> Bool {
    guard now >= speaksAt else { return false }
    speaksAt = now + WebhookDeliveryLimits.proxyWordsPause
    return true
  }
}
