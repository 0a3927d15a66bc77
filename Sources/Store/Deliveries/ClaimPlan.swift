package import Domain
internal import Postgres
package import Time

/// Collects the rows to be written by a transaction that claims devices, on a blocking connection or in a pipeline.
/// Runs no query itself.
///
/// ```
///   members of a message ──┬─► claims      all of them
///                          ├─► ledger      each user, when the message changes badge counts
///                          ├─► fallbacks   each person who can get an SMS fallback
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
    /// The SEQNO under which the message is stored in inboxes, which for a resend is that of the original, and when the
    /// entries expire; nil if it is not stored in inboxes.
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

  /// The planned claims, one for each call of `add` with members.
  package private(set) var claims: [(seqno: Seqno, entries: [Claims.Entry])] = []
  /// The planned ledger entries, one per user and message, in the order of the members. Empty if no message changes
  /// badge counts.
  package private(set) var ledger: [Ledger.Claim] = []
  package private(set) var fallbacks: [Fallbacks.New] = []
  package private(set) var inboxes: [Inboxes.New] = []

  package init() {}

  /// Adds the rows for a message's devices to the plan; none if `members` is empty.
  /// - Parameter filled: returns a user's values from an uploaded file, or nil if there are none; they are stored with
  ///   the inbox entry.
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
    var deliveries: [UserKey: Int32] = [:]
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

  /// The queries that create the fallbacks and inbox entries, for the same transaction; empty if there are none. Claims
  /// and ledger entries are written by the caller, who needs their results.
  package var writes: [Query<Void>] {
    (fallbacks.isEmpty ? [] : [Fallbacks.create(fallbacks)]) + Inboxes.create(inboxes)
  }
}
