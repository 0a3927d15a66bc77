internal import Domain
internal import JSON
internal import Postgres
internal import Reactor
internal import Store

/// Checks a new APNs key with Apple: a running server signs once with the key, pushes to a token that no device has,
/// and stores the response. A response of "bad token" proves that key, team and topic were accepted.
///
/// ```
///   stored, unchecked ──checked by a server──► works (BadDeviceToken) · refused (InvalidProviderToken …) · unreachable
/// ```
/// The key is stored whatever the result: the network may be misconfigured or down.
extension CredentialChecks.Check {
  static let field = JSONField<CredentialChecks.Check?>.always(
    "check", .orNull(object.form), { $0 },
    "What Apple said when a server signed with a new key once and pushed to a token of nobody; null: not asked (yet).")

  private static let object = JSONObject<CredentialChecks.Check>(
    "CredentialCheck", isNamed: false,
    [
      .always("at", .moment, \.at),
      .always("result", .words(["works", "refused", "unreachable"]), \.result.name),
      .always(
        "word", .anyText, \.word,
        "The network's own, for example `BadDeviceToken` or `InvalidProviderToken`."),
    ])
}

extension Administration.KeySet {
  /// The result of the check, as a sentence.
  package var checkSentence: String {
    guard let check else { return "Apple has not been asked yet: `upmc doctor` asks it." }
    switch check.result {
    case .works: return "Apple takes it (\(check.word))."
    case .refused: return "Apple refuses it: \(check.word). Look at key, key id, team id and the app's id."
    case .unreachable: return "Apple could not be asked: \(check.word)."
    }
  }
}

extension Administration {
  /// Waits a few seconds for the check of a newly stored credential. Returns nil if no server has made it yet, or none
  /// runs.
  static func awaitCheck(
    _ app: App.Number, _ network: PushNetwork, on connection: Connection
  ) throws(Problem) -> CredentialChecks.Check? {
    let clock = SystemClock()
    let deadline = clock.now + Operations.Limits.checkTimeout
    while true {
      let found = try connection.answer(CredentialChecks.find(app, network))
      guard found.check == nil, found.isAsked, clock.now < deadline else { return found.check }
      Polling.rest(Operations.Limits.checkPause)
    }
  }
}

extension Operations.Limits {
  /// How long to wait. Apple answers within half a second if it can be reached.
  static let checkTimeout: Duration = .seconds(3)
  static let checkPause: Duration = .milliseconds(50)
}
