internal import Domain
internal import Store

/// What an answer says about a device's token, and what follows for the device according to its current row: it may
/// have registered again while the answer was in flight.
struct TokenFinding: Sendable {
  enum Kind: Equatable, Sendable {
    /// Dead since a time, in microseconds since 1970.
    case dead(since: Int64)
    /// Refused, without a time since when.
    case refused(reason: String)
    /// The token was not examined, because the topic or the key was refused. No fault of the device; given back with a
    /// flood.
    case disallowed
    /// Valid, but in the other environment than the device claims.
    case belongs(to: PushEnvironment)
  }

  enum Change: Equatable {
    case drop
    case quarantine(reason: String)
    case learn(PushEnvironment)
  }

  let kind: Kind
  /// The device's own route, not the one that was asked in doubt.
  let route: PushRoute
  let delivery: Confirmations.Delivery
  let psid: String
  /// The use of the token.
  var tokenKind = TokenKind.alert
  /// When the binding that was sent to was read, in microseconds since 1970; the first one, if a refusal was asked
  /// about. A later registration is not what was refused, and a setting repaired later may have caused the refusal.
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

  /// Nil if the finding no longer concerns the device.
  func change(of record: Devices.Record) -> Change? {
    guard tokenKind == .alert, record.psid == psid, record.state == .active else { return nil }
    switch kind {
    case .dead(let since):
      // A registration at that very moment counts as later: in doubt the token is kept.
      return record.registeredAt < since ? .drop : nil
    case .disallowed: return nil
    case .refused(let reason): return record.registeredAt <= readAt ? .quarantine(reason: reason) : nil
    // A token belongs to one environment for life, whenever it was registered.
    case .belongs(let environment): return record.environment == environment ? nil : .learn(environment)
    }
  }
}
