internal import Domain
internal import Store

/// Whether a message may go to a device of its audience.
extension DispatchMessage {
  /// Why the device gets nothing; nil if it gets the message.
  func objection(to member: Audiences.Member) -> SkipReason? {
    if member.isInQuarantine { return .quarantine }
    if let confidentialFrom, member.identity < confidentialFrom { return .unproved }
    return member.mayGet(request.kind) ? nil : .consent
  }
}
