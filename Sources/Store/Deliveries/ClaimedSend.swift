package import Domain
package import Reactor

/// A message that was stored together with the claim of its whole audience, and the data with which it is sent without
/// reading the database again. An object, because it changes hands several times, and each copy of a message with its
/// request would count the references of all their texts.
package final class ClaimedSend: Sendable {
  package let message: Messages.Open
  package let request: MessageRequest
  package let claim: Claims.Hold
  package let members: [Audiences.Member]
  /// Each user's badge count after this message; empty if the message changes no counts.
  package let badges: [UserKey: Int16]
  /// Names of users, for the payload; empty if the payload contains no names.
  package let names: [UserKey: String]
  /// A time not later than when the members' data was read.
  package let readAt: Instant
  /// True if the app was paused when the message was stored, so that the message must not be sent yet.
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
