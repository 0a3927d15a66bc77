internal import Domain
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// Filters out retries that must not be submitted now: the app or message is paused, the message is cancelled or its
/// send window is closed, or it is the wrong time of day at the device.
extension Resubmission {
  /// The reasons of deliveries that are deferred to permitted hours.
  static let hourReasons: Set<String> = ["window", "night", "local-time"]

  /// Ends the retries of messages that are cancelled or no longer exist, defers those whose app or message is paused or
  /// whose message's send window is closed, and returns the others.
  mutating func hold(_ retries: [Retry], _ sendStates: [Seqno: Controls.SendState]) -> [Retry] {
    retries.filter { retry in
      guard let sendState = sendStates[retry.message.seqno] else {
        decide(retry, .cancelled, reason: Cancellation.reason)
        return false
      }
      if sendState.isAppPaused {
        postpone(retry, reason: "AppPaused", dueAt: nil)
        return false
      }
      switch sendState.passage {
      case .open: return true
      case .paused: postpone(retry, reason: "paused", dueAt: nil)
      case .closedUntil(let opensAt): postpone(retry, reason: "window", dueAt: min(opensAt, retry.message.expiresAt))
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

  /// Returns, for each retry whose message depends on the device's local time, when the delivery expires and, if it
  /// must wait for the end of the night or for the send window, until when. Devices that no longer exist are missing.
  static func localTimes(_ retries: [Retry], _ connection: Connection) throws(PostgresError) -> LocalTimes {
    var localTimes: LocalTimes = [:]
    let asking = Dictionary(grouping: retries.lazy.filter(\.message.needsLocalTimes), by: \.message.seqno)
    for (seqno, retries) in asking {
      let message = retries[0].message
      let window = message.request.window
      let found = try connection.run(
        Waves.localTimes(
          retries.map(\.target.device), of: seqno, appTimeZone: message.appTimeZone, local: message.localTime,
          expiresInSeconds: message.request.expiresInSeconds, window: window?.zone == .device ? window : nil,
          isAd: message.request.kind == .ad))
      for (device, times) in found { localTimes[Confirmations.Delivery(seqno: seqno, device: device)] = times }
    }
    return localTimes
  }

  /// Ends retries that have expired at the device's local time, defers those for which the message's local time has not
  /// come, it is night there or the send window is closed, and returns the others.
  mutating func sort(_ retries: [Retry], by localTimes: LocalTimes, now: Timestamp) -> [Retry] {
    guard !localTimes.isEmpty else { return retries }
    return retries.filter { retry in
      guard let times = localTimes[retry.delivery] else { return true }
      let expiresAt = times.expiresAt ?? retry.message.expiresAt
      if now >= expiresAt {
        decide(retry, .expired, reason: "expired")
      } else if let startsAt = times.startsAt {
        postpone(retry, reason: "local-time", dueAt: min(startsAt, expiresAt))
      } else if let nightEndsAt = times.nightEndsAt {
        // Both the quiet night hours and the message's window may apply; wait for the later end.
        postpone(retry, reason: "night", dueAt: min(max(nightEndsAt, times.opensAt ?? .zero), expiresAt))
      } else if let opensAt = times.opensAt {
        postpone(retry, reason: "window", dueAt: min(opensAt, expiresAt))
      } else {
        return true
      }
      return false
    }
  }
}
