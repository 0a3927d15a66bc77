package import Domain
internal import Store

/// What apps want done differently, as hot operations need it: a snapshot of the catalog.
package struct AppPolicies: Sendable {
  /// Where the last registered device of a user is the only one.
  package var single: Set<App.Number> = []
  /// Where a user's other devices are told a new count.
  package var badgeSync: Set<App.Number> = []
  /// What proofs are checked with; without it none is believed.
  package var userProofs: UserProofKeyring?
  private var apps: [App.Number: App] = [:]

  package init() {}

  package init(_ apps: some Sequence<App>) {
    for app in apps {
      if app.devicePolicy == .single { single.insert(app.number) }
      if app.syncsBadges { badgeSync.insert(app.number) }
      self.apps[app.number] = app
    }
  }

  /// An app that nobody knows gets what holds for those who have decided nothing.
  func rules(of app: App.Number) -> App.IdentityRules { apps[app]?.identityRules ?? App.IdentityRules() }

  // MARK: Who vouches for a user

  /// What to make of somebody who names a user.
  enum Vouching: Equatable {
    /// The app's own server says so.
    case vouched
    /// Nobody does, and nobody is asked: no user was named, or the app takes the device's word.
    case unproved
    /// Nobody does: without a voucher the user is not given to a device that does not have it already.
    case missing
    case refused(Problem)
  }

  func vouching(for user: NamedUser, in number: App.Number, now: Int64) -> Vouching {
    guard user.clientUID != UserKey.guestUID else { return .unproved }
    let identity = rules(of: number).identity
    guard let proof = user.proof else { return identity == .open ? .unproved : .missing }
    if isGood(proof, of: user.clientUID, in: number, now: now) { return .vouched }
    return identity == .open ? .unproved : .refused(Self.badProof)
  }

  func isGood(_ proof: String, of clientUID: String, in number: App.Number, now: Int64) -> Bool {
    guard let app = apps[number], let userProofs else { return false }
    return userProofs.verify(
      proof, clientUID: clientUID, appID: app.appID, generation: app.identityRules.proofGeneration, now: now)
  }

  static let noProof = Problem(
    .badUserProof,
    """
    This app's server vouches for every user: have it make a userProof with the app's secret, or a voucher \
    (POST /v1/admin/users/{clientUid}/vouchers) just before the device names the user.
    """)

  private static let badProof = Problem(
    .badUserProof,
    "The userProof (USERPROOF) does not fit this clientUid, or it has expired. Ask the app's server for a new one.")

  // MARK: What a key that was only asked for opens

  /// Whether whoever makes a claim may do more than look, confirm and say that it is there.
  /// - Parameter identity: what holds, or what is tried out.
  func opensAll(
    _ claim: AuthKeyring.Claim, to record: Devices.Record, under identity: App.Identity, now: Int64
  ) -> Bool {
    guard claim.isAsked, identity != .open else { return true }
    guard let proof = claim.userProof, let user = record.userKey.clientUID else { return false }
    return isGood(proof, of: user, in: record.app, now: now)
  }

  /// From when on a device sees what was kept for its user, microseconds since 1970. Nil: nothing, for devices have to be
  /// proved and this one is not. Where nobody vouches for it, it may be anybody's who knows the CUID: it sees no more than
  /// what it could have got itself.
  func inboxBegins(for record: Devices.Record) -> Int64? {
    guard !record.userKey.isGuest else { return 0 }
    guard record.identity >= rules(of: record.app).identity else { return nil }
    return record.identity == .open ? record.boundAt : 0
  }

  static let onlyAsked = Problem(
    .forbidden,
    """
    An AUTHKEY that was asked for by the PSID alone does not open this. Register first (with the user's proof or \
    voucher) and use the AUTHKEY of that answer, or send USERPROOF along.
    """)
}
