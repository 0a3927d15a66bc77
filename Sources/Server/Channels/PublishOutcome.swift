internal import Domain
internal import Store

/// What becomes of a channel's update after APNs has answered. Pure.
enum PublishOutcome {
  /// About one update a second is what APNs takes on a channel, counted from the answer to the one before: so what the
  /// network delays is no hurry.
  static let paceMilliseconds: Int64 = 1_000
  /// After the first failure; each further one doubles it.
  private static let firstMilliseconds: Int64 = 1_000
  private static let longestMilliseconds: Int64 = 60_000
  /// Nothing was sent.
  private static let unsentMilliseconds: Int64 = 200

  static func of(_ result: SubmissionResult, _ taken: ChannelUpdates.Taken) -> ChannelUpdates.Settled {
    switch result {
    case .accepted: settled(taken, isAccepted: true, isOver: true, paceMilliseconds, nil)
    // As it is, APNs will never take it: bad content, or a channel that is gone.
    case .rejected(let reason), .badToken(let reason, _):
      settled(taken, isOver: true, paceMilliseconds, reason)
    case .notProcessed, .stale: settled(taken, isOver: false, unsentMilliseconds, nil)
    // An update that comes twice has the same timestamp: devices pass by the second.
    case .unknown(let reason): settled(taken, isOver: false, backOff(taken), reason)
    case .retry(let reason, let after), .deviceBusy(let reason, let after):
      settled(taken, isOver: false, max(backOff(taken), Int64(after ?? 0) * 1_000), reason)
    case .credentialFault(let reason), .wrongEnvironment(let reason), .noCredential(let reason):
      settled(taken, isOver: false, longestMilliseconds, reason)
    }
  }

  /// It has waited for longer than it is worth.
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
