package import Domain
internal import JSON
package import Postgres
internal import Reactor
package import Store

/// Checks a new APNs key with Apple: a running server signs once with the key, pushes to a token that no device has,
/// and stores the response. A response of "bad token" proves that key, team and topic were accepted.
///
/// ```
///   stored, unchecked ──checked by a server──► works (BadDeviceToken) · refused (InvalidProviderToken …) · unreachable
/// ```
/// The key stays stored whatever the result, because the network may be misconfigured or down. A caller can ask for a
/// check before storing (`tryOut`): then nothing is stored if Apple refuses the key or cannot be reached.
extension CredentialChecks.Check {
  static let field = JSONField<CredentialChecks.Check?>.always(
    "check", .orNull(object.form), { $0 },
    "What Apple said when a server signed with a new key once and pushed to a token of nobody; null: not asked (yet).")

  static let object = JSONObject<CredentialChecks.Check>(
    "CredentialCheck",
    [
      .always("at", .moment, \.at),
      .always("result", .words(["works", "refused", "unreachable"]), \.result.name),
      .always(
        "word", .anyText, \.word,
        "The network's own, for example `BadDeviceToken` or `InvalidProviderToken`."),
    ])
}

/// A check with Apple of a key that is not stored yet.
package protocol KeyTrial: Sendable {
  /// Asks Apple and returns the result, which can also be `refused` or `unreachable`. Blocks for up to half a minute.
  /// Stores nothing except a provider token.
  func ask(_ key: Administration.APNsKey, for app: App, on connection: Connection) throws -> CredentialChecks.Check
}

extension Administration {
  /// Asks Apple about a key before it is stored. Returns if Apple accepts the key.
  /// - Throws: `.impossible` for a key that Apple refuses, `.networkAway` if Apple cannot be asked, `.notConfigured` if
  ///   `trial` is nil; nothing was changed.
  static func tryOut(
    _ key: APNsKey, for app: App, _ trial: (any KeyTrial)?, on connection: Connection
  ) throws(Problem) {
    guard let trial else {
      throw Problem(.notConfigured, "This server cannot ask Apple. Store the key without `check`.")
    }
    let check: CredentialChecks.Check
    do {
      check = try trial.ask(key, for: app, on: connection)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.networkAway, "Apple could not be asked (\(error)). Nothing was changed.")
    }
    switch check.result {
    case .works: return
    case .refused:
      throw Problem(
        .impossible, at: "/apnsKey",
        "is refused by Apple (\(check.word)), and the old key stays: look at key, key id, team id and the app's id")
    case .unreachable:
      throw Problem(.networkAway, "Apple could not be asked (\(check.word)), and the old key stays. Try again.")
    }
  }

  /// Waits up to `checkTimeout` for the check of a newly stored credential. Returns nil if no server has made it by
  /// then, and nil without waiting if no server is running.
  static func awaitCheck(
    _ app: App.Number, _ network: PushNetwork, on connection: Connection
  ) throws(Problem) -> CredentialChecks.Check? {
    let clock = SystemClock()
    let deadline = clock.now + Operations.Limits.checkTimeout
    while true {
      let found = try connection.answer(CredentialChecks.find(app, network))
      guard found.check == nil, found.isPending, clock.now < deadline else { return found.check }
      Polling.rest(Operations.Limits.checkPause)
    }
  }
}

extension Operations.Limits {
  /// Maximum time to wait for the check. Apple answers within half a second if it can be reached.
  static let checkTimeout: Duration = .seconds(3)
  static let checkPause: Duration = .milliseconds(50)
}
