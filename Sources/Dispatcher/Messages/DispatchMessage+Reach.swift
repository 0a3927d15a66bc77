internal import Domain
internal import Store

/// Decides whether a message may go to a device of its audience.
extension DispatchMessage {
  /// Returns why the message must not be sent to the device: it is quarantined, the proof of its user is too weak for a
  /// confidential message, or it has not consented to messages of this kind. The first that applies is returned; nil if
  /// none does.
  func objection(to member: Audiences.Member) -> SkipReason? {
    if member.isInQuarantine { return .quarantine }
    if let confidentialFrom, member.identity < confidentialFrom { return .unproved }
    return member.mayGet(request.kind) ? nil : .consent
  }
}
