package import Domain
package import Reactor

/// A message that was stored together with the claim of its whole audience, with everything needed to send it at once.
package struct ClaimedSend: Sendable {
  package let message: Messages.Open
  package let request: MessageRequest
  package let claim: Claims.Hold
  package let members: [Audiences.Member]
  /// Each user's badge count after this message; empty if the message changes no counts.
  package let badges: [UserKey: Int16]
  /// Names of users; empty if the payload contains none.
  package let names: [UserKey: String]
  /// A time not later than when the members' data was read.
  package let readAt: Instant
  /// True if the app was paused when the message was stored, so that it waits in the database.
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
