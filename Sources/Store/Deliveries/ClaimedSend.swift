package import Domain
package import Reactor

/// A message stored together with the claim of its whole audience, with everything needed to send it at once.
package struct ClaimedSend: Sendable {
  package let message: Messages.Open
  package let request: MessageRequest
  package let claim: Claims.Hold
  package let members: [Audiences.Member]
  /// Each user's count after this message; empty unless the message changes counts.
  package let badges: [UserKey: Int16]
  /// Empty unless the payload contains names.
  package let names: [UserKey: String]
  /// Not later than when the members' bindings were read.
  package let readAt: Instant
  /// The app was paused when the message was stored: it waits in the database.
  package let isHeld: Bool

  package init(
    message: Messages.Open, request: MessageRequest, claim: Claims.Hold, members: [Audiences.Member],
    badges: [UserKey: Int16], names: [UserKey: String], readAt: Instant, isHeld: Bool
  ) {
    self.message = message
    self.request = request
    self.claim = claim
    self.members = members
    self.badges = badges
    self.names = names
    self.readAt = readAt
    self.isHeld = isHeld
  }
}
