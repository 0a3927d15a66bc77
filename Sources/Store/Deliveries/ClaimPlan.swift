package import Domain
internal import Postgres
package import Time

/// Collects the rows to be written by a transaction that claims devices. Shared by both kinds of connections; runs no
/// query itself.
///
/// ```
///   members of a message ──┬─► claims      all of them
///                          ├─► ledger      each user, when the message changes badge counts
///                          ├─► fallbacks   each person who may get an SMS fallback
///                          └─► inboxes     each person, when the message is kept in inboxes
/// ```
package struct ClaimPlan {
  /// The parts of a message that determine its recipients' rows.
  package struct Message {
    package let seqno: Seqno
    package let app: App.Number
    package let kind: MessageKind
    package let badge: BadgeRequest
    package let fallback: Fallback?
    /// The message under whose SEQNO it is stored in inboxes, and the entry's end; nil if it is not stored in inboxes.
    package let inbox: (seqno: Seqno, endsAt: Timestamp)?

    package init(
      seqno: Seqno, app: App.Number, kind: MessageKind, badge: BadgeRequest, fallback: Fallback?,
      inbox: (seqno: Seqno, endsAt: Timestamp)?
    ) {
      self.seqno = seqno
      self.app = app
      self.kind = kind
      self.badge = badge
      self.fallback = fallback
      self.inbox = inbox
    }
  }

  /// The planned claims, grouped by message.
  package private(set) var claims: [(seqno: Seqno, entries: [Claims.Entry])] = []
  /// Ledger entries in the order of the members; for a range of an audience, in the order of user keys.
  package private(set) var ledger: [Ledger.Claim] = []
  package private(set) var fallbacks: [Fallbacks.New] = []
  package private(set) var inboxes: [Inboxes.New] = []

  package init() {}

  /// Adds a message's devices to the plan.
  /// - Parameter filled: returns a user's values from an uploaded file; nil if there are none.
  package mutating func add(
    _ members: [Audiences.Member], of message: Message, filled: (UserKey) -> InboxValues? = { _ in nil }
  ) {
    guard !members.isEmpty else { return }
    let entries = members.map { Claims.Entry(device: $0.device, userKey: $0.userKey, attempts: 0) }
    claims.append((message.seqno, entries))
    if message.badge.movesCount { addLedger(members, message) }
    fallbacks += Fallbacks.wanted(
      by: message.fallback, of: message.kind, message.seqno, app: message.app, among: members)
    guard let inbox = message.inbox else { return }
    inboxes += Inboxes.wanted(
      inbox.seqno, until: inbox.endsAt, of: message.kind, app: message.app, among: members, filled: filled)
  }

  private mutating func addLedger(_ members: [Audiences.Member], _ message: Message) {
    var users: [UserKey] = []
    var deliveries: [UserKey: Int16] = [:]
    for member in members {
      if deliveries[member.userKey] == nil { users.append(member.userKey) }
      deliveries[member.userKey, default: 0] += 1
    }
    ledger += users.map { user in
      Ledger.Claim(
        key: Ledger.Key(user: Users.Key(app: message.app, userKey: user), seqno: message.seqno),
        deliveries: deliveries[user] ?? 0, increment: message.badge.increment)
    }
  }

  /// Queries whose results are not needed.
  package var writes: [Query<Void>] {
    (fallbacks.isEmpty ? [] : [Fallbacks.create(fallbacks)]) + Inboxes.create(inboxes)
  }
}
