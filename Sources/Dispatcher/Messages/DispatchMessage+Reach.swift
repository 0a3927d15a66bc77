internal import Domain
internal import Store

/// Decides whether a message may go to a device of its audience.
extension DispatchMessage {
  /// Returns why the device is skipped; nil if it receives the message.
  func objection(to member: Audiences.Member) -> SkipReason? {
    if member.isInQuarantine { return .quarantine }
    if let confidentialFrom, member.identity < confidentialFrom { return .unproved }
    return member.mayGet(request.kind) ? nil : .consent
  }
}
