package import Domain
package import Reactor

/// A message that was stored together with the claim of its whole audience: all that is needed to send it at once.
package struct ClaimedSend: Sendable {
  package let message: Messages.Open
  package let request: MessageRequest
  package let claim: Int64
  package let members: [Audiences.Member]
  /// Each user's count after this message; empty when it moves none.
  package let badges: [UserKey: Int16]
  /// Empty unless the payload shows them.
  package let names: [UserKey: String]
  /// Not later than the reading of the members' bindings.
  package let readAt: Instant

  package init(
    message: Messages.Open, request: MessageRequest, claim: Int64, members: [Audiences.Member],
    badges: [UserKey: Int16], names: [UserKey: String], readAt: Instant
  ) {
    self.message = message
    self.request = request
    self.claim = claim
    self.members = members
    self.badges = badges
    self.names = names
    self.readAt = readAt
  }
}
