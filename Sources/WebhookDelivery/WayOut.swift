internal import HTTPClient
internal import Reactor

/// What the delivery thread knows of the operator's proxy, whichever webhook it learned it from. Pure.
///
/// ```
///   unproven ──one attempt──► good: everybody ──401, 407──► rests ──5 min──► unproven
///         └─────────────────── 401, 407 ──────────────────────▲
/// ```
///
/// A wrong password is told to the proxy once in a while, not by every webhook: a directory locks an account after a few.
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

  /// An attempt is made through it; `ended` must follow.
  mutating func began() {
    if case .good = standing { return }
    standing = .isTried
  }

  mutating func ended(_ outcome: Result<HTTPResponse, HTTPClientError>, at now: Instant) {
    guard case .failure(.noTunnel(let fault)) = outcome else {
      // Those that began before a refusal say nothing about what is asked now.
      if case .isTried = standing { standing = .good }
      return
    }
    if fault.isAboutPassword {
      standing = .rests(until: now + CourierLimits.passwordRest)
    } else if case .isTried = standing {
      // Who is told 502 was let in; who got no answer was asked for no password.
      standing = fault.status == nil ? .unproven : .good
    }
  }

  /// True when what went wrong may be said in the log: often enough to be seen, and not for each attempt.
  mutating func speaks(at now: Instant) -> Bool {
    guard now >= speaksAt else { return false }
    speaksAt = now + CourierLimits.proxyWordsPause
    return true
  }
}
