internal import Domain
internal import Store

/// Decides what happens to a channel's update after APNs has answered. No I/O.
enum PublishOutcome {
  /// Minimum time between updates of a channel, counted from the previous answer. APNs accepts about one per second.
  static let paceMilliseconds: Int64 = 1_000
  /// The delay after the first failure, in milliseconds; it doubles with each further one.
  private static let firstMilliseconds: Int64 = 1_000
  /// Maximum delay after repeated failures, in milliseconds.
  private static let longestMilliseconds: Int64 = 60_000
  /// The delay after an attempt in which nothing was sent, in milliseconds.
  private static let unsentMilliseconds: Int64 = 200

  static func of(_ result: SubmissionResult, _ taken: ChannelUpdates.Taken) -> ChannelUpdates.Settled {
    switch result {
    case .accepted: settled(taken, isAccepted: true, isOver: true, paceMilliseconds, nil)
    // APNs would never accept this update: its content is invalid, or the channel no longer exists.
    case .rejected(let reason), .badToken(let reason, _):
      settled(taken, isOver: true, paceMilliseconds, reason)
    case .notProcessed, .stale: settled(taken, isOver: false, unsentMilliseconds, nil)
    // The update may have arrived. Sending it again is safe, because devices ignore a second one with the same
    // timestamp.
    case .unknown(let reason): settled(taken, isOver: false, backOff(taken), reason)
    case .retry(let reason, let after), .deviceBusy(let reason, let after):
      settled(taken, isOver: false, max(backOff(taken), Int64(after ?? 0) * 1_000), reason)
    case .credentialFault(let reason), .wrongEnvironment(let reason), .noCredential(let reason):
      settled(taken, isOver: false, longestMilliseconds, reason)
    }
  }

  /// Returns the result for an update that has expired before it could be sent.
  static func expired(_ taken: ChannelUpdates.Taken) -> ChannelUpdates.Settled {
    settled(taken, isOver: true, 0, "expired")
  }

  private static func backOff(_ taken: ChannelUpdates.Taken) -> Int64 {
    min(longestMilliseconds, firstMilliseconds << Int64(min(max(0, taken.failures), 6)))
  }

  private static func settled(
    _ taken: ChannelUpdates.Taken, isAccepted: Bool = false, isOver: Bool, _ wait: Int64, _ word: String?
  ) -> ChannelUpdates.Settled {
    ChannelUpdates.Settled(
      channel: taken.channel, version: taken.version, isAccepted: isAccepted, isOver: isOver,
      waitMilliseconds: min(wait, longestMilliseconds), word: word)
  }
}
