package import Domain
package import Reactor

/// A message that was stored together with the claim of its whole audience: all that is needed to send it at once.
package struct ClaimedSend: Sendable {
  package let message: Messages.Open
  package let request: MessageRequest
  package let claim: Claims.Hold
  package let members: [Audiences.Member]
  /// Each user's count after this message; empty when it moves none.
  package let badges: [UserKey: Int16]
  /// Empty unless the payload shows them.
  package let names: [UserKey: String]
  /// Not later than the reading of the members' bindings.
  package let readAt: Instant
  /// Its app was held back when it was stored: it waits in the database.
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
