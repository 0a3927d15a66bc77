internal import Domain
internal import Store

/// Whether a message may go to a device of its audience.
extension DispatchMessage {
  /// Why the device gets nothing; nil when it does.
  func objection(to member: Audiences.Member) -> SkipReason? {
    if member.isInQuarantine { return .quarantine }
    return request.kind.mayReach(notification: member.consentNotification, ad: member.consentAd) ? nil : .consent
  }
}
