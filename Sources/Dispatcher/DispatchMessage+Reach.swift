internal import Domain
internal import Store

/// Whether a message may go to a device of its audience.
extension DispatchMessage {
  /// Why the device gets nothing; nil when it does.
  func objection(to member: Audiences.Member) -> SkipReason? {
    if member.isInQuarantine { return .quarantine }
    if let confidentialFrom, member.identity < confidentialFrom { return .unproved }
    return mayReach(member) ? nil : .consent
  }

  /// True when the person at the device has agreed to messages of this kind.
  private func mayReach(_ member: Audiences.Member) -> Bool {
    request.kind.mayReach(notification: member.consentNotification, ad: member.consentAd)
  }
}

/// Short messages in place of it.
extension DispatchMessage {
  /// One for each person of a claim who may be sent it at all; guests have no name to send a short message to.
  func fallbacks(for members: [Audiences.Member]) -> [Fallbacks.New] {
    guard let fallback else { return [] }
    let users = Set(members.lazy.filter { !$0.userKey.isGuest && self.mayReach($0) }.map(\.userKey))
    return users.map {
      Fallbacks.New(
        Fallbacks.Key(seqno: self.seqno, userKey: $0), app: self.app, afterSeconds: fallback.afterSeconds)
    }
  }
}
