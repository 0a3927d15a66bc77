internal import Reactor

/// How long things may last. Looked at once a second, instead of with a timer for each request.
extension Connection {
  func checkTime(_ now: Instant) {
    if isStalled { return checkStall(now) }
    output.trim()
    let isIdle = isIdle
    if isIdle { request.store.rest() }
    guard now >= deadline else { return }
    switch phase {
    case .opening:
      server.counters.timedOut &+= 1
      close()
    case .head where isIdle: close()
    case .head, .body:
      server.counters.timedOut &+= 1
      refuse(.requestTimeout, "The request took too long to arrive.")
    case .lingering: close()
    case .handling, .streaming, .closing, .closed: break
    }
  }

  /// The kernel reports room only when a third of its buffer is free, which takes a slow client long: so it is asked
  /// whether the client has taken anything.
  private func checkStall(_ now: Instant) {
    let held = transport?.unacknowledgedBytes ?? 0
    if held < stalledBytes {
      stalledBytes = held
      writeDeadline = now + server.configuration.writeTimeout
    } else if now >= writeDeadline {
      // Whoever takes nothing for so long is not sent a polite end either.
      server.counters.timedOut &+= 1
      abandon()
    }
  }
}
