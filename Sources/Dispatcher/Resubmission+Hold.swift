internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// What may not be submitted now: the message is held, or the clock on the device's wall says no.
extension Resubmission {
  /// Nothing of the message may be submitted now.
  mutating func hold(_ targets: [WaitingTarget], _ passage: Controls.Passage, _ message: DispatchMessage) {
    for target in targets {
      switch passage {
      case .open: break
      case .paused: handBack(target, reason: "paused", dueAt: nil)
      case .closedUntil(let opensAt): handBack(target, reason: "window", dueAt: min(opensAt, message.expiresAt))
      case .cancelled:
        // One that may have arrived already was not cancelled, it was not sent again.
        if target.countsAsResent {
          decide(target, .skipped, reason: SkipReason.unknownNotResent.rawValue)
        } else {
          decide(target, .cancelled, reason: Cancellation.reason)
        }
      }
    }
  }

  /// The clocks of the devices, for messages that ask them.
  func clocks(
    _ targets: [WaitingTarget], _ message: DispatchMessage, _ connection: Connection
  ) throws(PostgresError) -> [DeviceID: Waves.Clock] {
    guard message.asksDeviceClocks else { return [:] }
    let window = message.request.window
    return try connection.run(
      Waves.clocks(
        targets.map(\.device), appTimeZone: message.appTimeZone, local: message.localTime,
        expiresInSeconds: message.request.expiresInSeconds, window: window?.zone == .device ? window : nil))
  }

  /// Decides about those whose own clock says that it is too late, or too early; answers the others.
  mutating func sort(
    _ targets: [WaitingTarget], by clocks: [DeviceID: Waves.Clock], _ message: DispatchMessage, now: Int64
  ) -> [WaitingTarget] {
    guard !clocks.isEmpty else { return targets }
    var ready: [WaitingTarget] = []
    for target in targets {
      let clock = clocks[target.device]
      let expiresAt = clock?.expiresAt ?? message.expiresAt
      if now >= expiresAt {
        decide(target, .expired, reason: "expired")
      } else if let opensAt = clock?.opensAt {
        handBack(target, reason: "window", dueAt: min(opensAt, expiresAt))
      } else {
        ready.append(target)
      }
    }
    return ready
  }
}
