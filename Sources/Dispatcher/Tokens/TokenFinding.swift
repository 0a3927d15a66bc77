internal import Domain
internal import Store
internal import Time

/// The conclusion from an answer about a device's token. The change to make also depends on the device's current row,
/// because the device can have registered again while the answer was in flight.
struct TokenFinding: Sendable {
  enum Kind: Equatable, Sendable {
    /// The network reports the token as dead since a time.
    case dead(since: Timestamp)
    /// The token was refused; the time since when it is invalid is unknown.
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
  /// When the token was read from the database; if a refusal was verified, when it was read for the refused push. The
  /// finding says nothing about a device that registered later, or about settings that were changed later.
  let readAt: Timestamp

  /// If the message was sent to a token other than the device's ordinary one and that token is dead, the token and
  /// since when it is dead; otherwise nil. Only the token is to be removed, not the device, and only if it was
  /// registered before that time. If the network reports no time, the time at which the token was read is used.
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

  /// Returns the change to make to the device; nil if the device has another token or is no longer active, if it has
  /// registered since, if the token was not examined, if the environment is already the right one, or if the finding
  /// does not concern the device's ordinary token.
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
