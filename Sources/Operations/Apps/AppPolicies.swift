package import Domain
internal import Store
internal import Time

/// The policies of all apps, for operations that must be fast: a snapshot from the catalog.
package struct AppPolicies: Sendable {
  /// Apps in which a user has only one device, the last registered.
  package var single: Set<App.Number> = []
  /// Apps in which a user's other devices are notified of a new badge count.
  package var badgeSync: Set<App.Number> = []
  /// Verifies user proofs; nil accepts none.
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

  /// Returns the app's rules; an unknown app has the default rules.
  func rules(of app: App.Number) -> App.IdentityRules { apps[app]?.identityRules ?? App.IdentityRules() }

  /// Returns the problem for a change in an app that is being deleted; nil if the app is not being deleted or is
  /// unknown.
  func refusalWhileDeleted(of app: App.Number) -> Problem? { apps[app]?.refusalWhileDeleted }

  // MARK: Who vouches for a user

  /// Result of checking whether a device may name a user.
  enum Vouching: Equatable {
    /// The app's own server vouches for the user.
    case vouched
    /// No proof is needed: the user is GUEST, or the app's identity rule is `open` and no proof was given, or a wrong
    /// one.
    case unproved
    /// A proof is needed but was not given. The device may name the user only if it is already bound to that user, or
    /// if there is a voucher for the user.
    case missing
    case refused(Problem)
  }

  func vouching(for user: NamedUser, in number: App.Number, now: Timestamp) -> Vouching {
    guard user.clientUID != UserKey.guestUID else { return .unproved }
    let identity = rules(of: number).identity
    guard let proof = user.proof else { return identity == .open ? .unproved : .missing }
    if isGood(proof, of: user.clientUID, in: number, now: now) { return .vouched }
    return identity == .open ? .unproved : .refused(Self.badProof)
  }

  func isGood(_ proof: String, of clientUID: String, in number: App.Number, now: Timestamp) -> Bool {
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

  // MARK: What an unproved AUTHKEY opens

  /// Returns whether a claim grants full access, beyond reading, confirming and reporting presence. False only if the
  /// key was issued for the PSID alone, `identity` is not `open`, and the claim contains no valid proof for the
  /// device's user.
  /// - Parameter identity: the app's current identity rule, or the one being tried out.
  func grantsFullAccess(
    _ claim: AuthKeyring.Claim, to record: Devices.Record, under identity: App.Identity, now: Timestamp
  ) -> Bool {
    guard claim.isTokenOnly, identity != .open else { return true }
    guard let proof = claim.userProof, let user = record.userKey.clientUID else { return false }
    return isGood(proof, of: user, in: record.app, now: now)
  }

  /// Returns whether the device's user is hidden from a caller: the app is `strict`, and the claim proves no more than
  /// knowledge of the token, until a push comes back.
  func hidesUser(of record: Devices.Record, from claim: AuthKeyring.Claim) -> Bool {
    claim.isTokenOnly && claim.epoch == record.authEpoch && rules(of: record.app).identity == .strict
      && !record.userKey.isGuest
  }

  /// Returns the problem of a call for which a token-only key is not enough.
  func limitedKey(of record: Devices.Record) -> Problem {
    rules(of: record.app).identity == .strict ? Self.onlyToken : Self.onlyAsked
  }

  /// Returns the time since which messages in the user's inbox are visible to a device; nil, for no access, if the
  /// binding is weaker than the app requires, or if the device is a guest that awaits a push: it could return an
  /// entry's pushkey instead of the push's.
  ///
  /// The device sees all messages (`.zero`) if it is a guest or its user was vouched for. A device whose user nobody
  /// vouched for may belong to anyone who knows the CUID, so it sees only messages since it was bound to the user,
  /// which it could have received itself.
  func inboxBegins(for record: Devices.Record) -> Timestamp? {
    guard !record.userKey.isGuest else { return record.pending == nil ? .zero : nil }
    guard record.identity >= rules(of: record.app).identity else { return nil }
    return record.identity == .open ? record.boundAt : .zero
  }

  private static let onlyToken = Problem(
    .forbidden,
    """
    This authKey proves no more than knowledge of the device's token. Return a push that was sent since the \
    registration (POST /v1/devices/{device}/possession): the answer has the key that this call needs.
    """)

  private static let onlyAsked = Problem(
    .forbidden,
    """
    An AUTHKEY that was asked for by the PSID alone does not open this. Register first (with the user's proof or \
    voucher) and use the AUTHKEY of that answer, or send USERPROOF along.
    """)
}
