internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Filters retries that may not be submitted now, because the message is paused or cancelled, or it is the wrong time
/// of day at the device.
extension Resubmission {
  /// Reasons with which a delivery is deferred to permitted hours.
  static let hourReasons: Set<String> = ["window", "night"]

  /// Ends or defers the retries of messages that are paused, cancelled or over; returns the others.
  mutating func hold(_ retries: [Retry], _ standings: [Int64: Controls.Standing]) -> [Retry] {
    retries.filter { retry in
      guard let standing = standings[retry.message.seqno] else {
        decide(retry, .cancelled, reason: Cancellation.reason)
        return false
      }
      if standing.isAppPaused {
        handBack(retry, reason: "AppPaused", dueAt: nil)
        return false
      }
      switch standing.passage {
      case .open: return true
      case .paused: handBack(retry, reason: "paused", dueAt: nil)
      case .closedUntil(let opensAt): handBack(retry, reason: "window", dueAt: min(opensAt, retry.message.expiresAt))
      case .cancelled:
        // A delivery that may have arrived is not reported as cancelled, but as not resent.
        if retry.target.attempts.mayHaveArrived {
          decide(retry, .skipped, reason: SkipReason.unknownNotResent.rawValue)
        } else {
          decide(retry, .cancelled, reason: Cancellation.reason)
        }
      }
      return false
    }
  }

  /// Reads the local clocks of the devices, for messages that depend on them.
  static func clocks(_ retries: [Retry], _ connection: Connection) throws(PostgresError) -> Clocks {
    var clocks: Clocks = [:]
    let asking = Dictionary(grouping: retries.lazy.filter(\.message.asksDeviceClocks), by: \.message.seqno)
    for (seqno, retries) in asking {
      let message = retries[0].message
      let window = message.request.window
      let found = try connection.run(
        Waves.clocks(
          retries.map(\.target.device), appTimeZone: message.appTimeZone, local: message.localTime,
          expiresInSeconds: message.request.expiresInSeconds, window: window?.zone == .device ? window : nil,
          isAd: message.request.kind == .ad))
      for (device, clock) in found { clocks[Confirmations.Delivery(seqno: seqno, device: device)] = clock }
    }
    return clocks
  }

  /// Ends or defers retries for which it is too late or too early at the device; returns the others.
  mutating func sort(_ retries: [Retry], by clocks: Clocks, now: Int64) -> [Retry] {
    guard !clocks.isEmpty else { return retries }
    return retries.filter { retry in
      guard let clock = clocks[retry.delivery] else { return true }
      let expiresAt = clock.expiresAt ?? retry.message.expiresAt
      if now >= expiresAt {
        decide(retry, .expired, reason: "expired")
      } else if let nightEndsAt = clock.nightEndsAt {
        // Both the quiet night hours and the message's window may apply; wait for the later end.
        handBack(retry, reason: "night", dueAt: min(max(nightEndsAt, clock.opensAt ?? 0), expiresAt))
      } else if let opensAt = clock.opensAt {
        handBack(retry, reason: "window", dueAt: min(opensAt, expiresAt))
      } else {
        return true
      }
      return false
    }
  }
}
