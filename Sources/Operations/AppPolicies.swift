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

  /// Why a user may not be named; nil when it may. `GUEST` means no user, so nobody has to vouch for it.
  func objection(
    to clientUID: String, proof: String?, in number: App.Number, now: Int64
  ) -> Problem? {
    guard let app = userProof[number], clientUID != UserKey.guestUID else { return nil }
    guard let proof else {
      return Problem(
        .badUserProof,
        "This app asks for userProof with every clientUid: have the app's own server make it with the app's secret.")
    }
    let isGood = userProofs?.verify(
      proof, clientUID: clientUID, appID: app.appID, generation: app.userProofGeneration, now: now)
    guard isGood == true else {
      return Problem(
        .badUserProof,
        "The userProof does not fit this clientUid, or it has expired. Ask the app's server for a new one.")
    }
    return nil
  }
}
