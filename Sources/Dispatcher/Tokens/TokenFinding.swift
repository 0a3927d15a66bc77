internal import Domain
internal import Store

/// What an answer says about a device's token, and what follows for the device as its row says now: it may have
/// registered again while the answer was on its way.
struct TokenFinding: Sendable {
  enum Kind: Equatable, Sendable {
    /// Dead since a time, microseconds since 1970.
    case dead(since: Int64)
    /// Refused, without a word about since when.
    case refused(reason: String)
    /// Not looked at: the topic or the key was refused. Nothing of the device's doing, and given back with a flood.
    case disallowed
    /// Good, but in the other environment than the device claims.
    case belongs(to: PushEnvironment)
  }

  enum Change: Equatable {
    case drop
    case quarantine(reason: String)
    case learn(PushEnvironment)
  }

  let kind: Kind
  /// The device's own, not the one that was asked in doubt.
  let route: PushRoute
  let delivery: Confirmations.Delivery
  let psid: String
  /// What the token is for.
  var tokenKind = TokenKind.alert
  /// When the binding was read that was sent to, the first time when a refusal was asked about, in
  /// microseconds since 1970: a later registration was not what was refused, and a setting mended later may have been why.
  let readAt: Int64

  /// A token beside the device's ordinary one that is dead since a time: it goes, the device stays. FCM never says since
  /// when: before it was sent to, then.
  var deadFurtherToken: (token: Tokens.Claimed, since: Int64)? {
    guard tokenKind != .alert else { return nil }
    let since: Int64
    switch kind {
    case .dead(let time): since = time
    case .refused(let reason) where TokenAssessment.isEnding(reason): since = readAt
    default: return nil
    }
    let token = Tokens.Claimed(
      app: route.app, psid: psid, network: route.network, device: delivery.device, kind: tokenKind)
    return (token, since)
  }

  /// Nil when the finding no longer concerns the device.
  func change(of record: Devices.Record) -> Change? {
    guard tokenKind == .alert, record.psid == psid, record.state == .active else { return nil }
    switch kind {
    case .dead(let since):
      // Registered at that very moment counts as registered after it: in doubt a token is kept.
      return record.registeredAt < since ? .drop : nil
    case .disallowed: return nil
    case .refused(let reason): return record.registeredAt <= readAt ? .quarantine(reason: reason) : nil
    // A token is of one environment all its life, whenever it was registered.
    case .belongs(let environment): return record.environment == environment ? nil : .learn(environment)
    }
  }
}
