internal import Domain
internal import Store
internal import Time

/// The conclusion from an answer about a device's token. The change to make also depends on the device's current row,
/// because it may have registered again while the answer was in flight.
struct TokenFinding: Sendable {
  enum Kind: Equatable, Sendable {
    /// The token is dead since a time.
    case dead(since: Timestamp)
    /// The token was refused; since when it is invalid is unknown.
    case refused(reason: String)
    /// The token was not examined, because the topic or the key was refused. The device is not at fault; if the circuit
    /// breaker opens, the delivery is given back.
    case disallowed
    /// The token is valid, but in the other environment than the one registered.
    case belongs(to: PushEnvironment)
  }

  enum Change: Equatable {
    case drop
    case quarantine(reason: String)
    case learn(PushEnvironment)
  }

  let kind: Kind
  /// The device's own route, even if the answer came from the other environment.
  let route: PushRoute
  let delivery: Confirmations.Delivery
  let psid: String
  /// The token's kind, by what it is used for.
  var tokenKind = TokenKind.alert
  /// When the token was read from the database; if a refusal was verified, when it was first read. A device that
  /// registered later is not the one refused, and a setting repaired later may have caused the refusal.
  let readAt: Timestamp

  /// If a token other than the device's ordinary one is dead: the token and since when. Only the token is removed then,
  /// not the device. FCM does not report the time; then any registration before the send counts.
  var deadFurtherToken: (token: Tokens.Claimed, since: Timestamp)? {
    guard tokenKind != .alert else { return nil }
    let since: Timestamp
    switch kind {
    case .dead(let time): since = time
    case .refused(let reason) where TokenAssessment.isEnding(reason): since = readAt
    default: return nil
    }
    let token = Tokens.Claimed(
      app: route.app, psid: psid, network: route.network, device: delivery.device, kind: tokenKind)
    return (token, since)
  }

  /// Returns the change to make to the device; nil if the finding no longer applies to its current row.
  func change(of record: Devices.Record) -> Change? {
    guard tokenKind == .alert, record.psid == psid, record.state == .active else { return nil }
    switch kind {
    case .dead(let since):
      // If the device registered at that very moment, assume that it did so later and keep the token.
      return record.registeredAt < since ? .drop : nil
    case .disallowed: return nil
    case .refused(let reason): return record.registeredAt <= readAt ? .quarantine(reason: reason) : nil
    // A token never changes its environment, so it does not matter when it was registered.
    case .belongs(let environment): return record.environment == environment ? nil : .learn(environment)
    }
  }
}
