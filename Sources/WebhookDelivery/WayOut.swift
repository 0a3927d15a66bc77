internal import HTTPClient
internal import Reactor

/// State of the operator's proxy, learned from all webhooks. Pure.
///
/// ```
///   unproven ──one attempt──► good: no limit ──401, 407──► rests ──5 min──► unproven
///         └─────────────────── 401, 407 ──────────────────────▲
/// ```
///
/// A wrong password must reach the proxy rarely, not once per webhook: directories lock an account after a few
/// failures.
struct WayOut {
  private enum Standing {
    case good
    case unproven
    case isTried
    case rests(until: Instant)
  }

  private var standing = Standing.unproven
  private var speaksAt = Instant(nanoseconds: 0)

  /// How many attempts may be made through it now.
  func room(at now: Instant) -> Int {
    switch standing {
    case .good: .max
    case .unproven: 1
    case .isTried: 0
    case .rests(let until): now >= until ? 1 : 0
    }
  }

  /// Records an attempt through it; `ended` must follow.
  mutating func began() {
    if case .good = standing { return }
    standing = .isTried
  }

  mutating func ended(_ outcome: Result<HTTPResponse, HTTPClientError>, at now: Instant) {
    guard case .failure(.noTunnel(let fault)) = outcome else {
      // Attempts that began before a refusal say nothing about the current one.
      if case .isTried = standing { standing = .good }
      return
    }
    if fault.isAboutPassword {
      standing = .rests(until: now + WebhookDeliveryLimits.passwordRest)
    } else if case .isTried = standing {
      // A proxy that answers 502 accepted the password; without an answer none was asked for.
      standing = fault.status == nil ? .unproven : .good
    }
  }

  /// True when a failure may be logged: often enough to be noticed, but not for each attempt.
  mutating func speaks(at now: Instant) -> Bool {
    guard now >= speaksAt else { return false }
    speaksAt = now + WebhookDeliveryLimits.proxyWordsPause
    return true
  }
}
