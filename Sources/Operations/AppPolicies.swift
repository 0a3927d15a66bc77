package import Domain

/// What apps want done differently, as hot operations need it: a snapshot of the catalog.
package struct AppPolicies: Sendable {
  /// Where the last registered device of a user is the only one.
  package var single: Set<App.Number> = []
  /// Where naming a user needs a proof.
  package var userProof: [App.Number: App] = [:]
  /// Where a user's other devices are told a new count.
  package var badgeSync: Set<App.Number> = []
  /// What proofs are checked with; without it none is believed.
  package var userProofs: UserProofKeyring?

  package init() {}

  package init(_ apps: some Sequence<App>) {
    for app in apps {
      if app.devicePolicy == .single { single.insert(app.number) }
      if app.asksUserProof { userProof[app.number] = app }
      if app.syncsBadges { badgeSync.insert(app.number) }
    }
  }

  /// True where whoever names a user has proved that it may: then its word about the user's name counts.
  func vouchesForUsers(in app: App.Number) -> Bool { userProof[app] != nil }

  /// What to make of somebody who names a user.
  enum Vouching: Equatable {
    /// It may.
    case granted
    /// Nobody vouches for it: the user is not given to a device that does not have it already.
    case missing
    case refused(Problem)
  }

  /// True where the app asks for a proof and none was given. `GUEST` means no user, so nobody has to vouch for it.
  func lacksProof(_ user: Operation.NamedUser, in number: App.Number) -> Bool {
    userProof[number] != nil && user.clientUID != UserKey.guestUID && user.proof == nil
  }

  func vouching(for user: Operation.NamedUser, in number: App.Number, now: Int64) -> Vouching {
    if lacksProof(user, in: number) { return user.isGuestUnproved ? .missing : .refused(Self.noProof) }
    guard let app = userProof[number], let proof = user.proof, user.clientUID != UserKey.guestUID else {
      return .granted
    }
    let isGood = userProofs?.verify(
      proof, clientUID: user.clientUID, appID: app.appID, generation: app.userProofGeneration, now: now)
    return isGood == true ? .granted : .refused(Self.badProof)
  }

  private static let noProof = Problem(
    .badUserProof,
    "This app asks for userProof with every clientUid: have the app's own server make it with the app's secret.")

  private static let badProof = Problem(
    .badUserProof,
    "The userProof (USERPROOF) does not fit this clientUid, or it has expired. Ask the app's server for a new one.")
}
