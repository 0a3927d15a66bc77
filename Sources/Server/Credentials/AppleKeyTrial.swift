internal import APNs
package import Domain
package import Operations
package import Postgres
internal import Reactor
package import Store

/// Asks Apple about a key that is not stored yet, by a push to a non-existent token. The provider token minted for the
/// key is kept for all nodes, because Apple rejects more than one new token within 20 minutes.
package struct AppleKeyTrial: KeyTrial {
  private let configuration: Configuration
  private let master: MasterKey

  package init(_ configuration: Configuration, master: MasterKey) {
    self.configuration = configuration
    self.master = master
  }

  package func ask(
    _ key: Administration.APNsKey, for app: App, on connection: Connection
  ) throws -> CredentialChecks.Check {
    let clock = SystemClock()
    let signing = try SigningKey(p8: key.pem, keyID: key.keyID, teamID: key.teamID)
    let probe = try ProviderProbe(configuration, master: master, machine: clock)
    defer { probe.stop() }
    let now = try connection.run(WallClock.now())
    let token = try SharedProviderToken.take(signing, refused: nil, now: now, master, connection)
    let question = ProviderProbe.Question(app: app, network: .apns, environment: .production)
    guard let token, let answer = try probe.ask([question], with: token, signing).first else {
      return CredentialChecks.Check(at: now, result: .unreachable, word: "no provider token")
    }
    return switch answer {
    case .works(let word): CredentialChecks.Check(at: now, result: .works, word: word)
    case .refused(let word): CredentialChecks.Check(at: now, result: .refused, word: word)
    case .unreachable(let word): CredentialChecks.Check(at: now, result: .unreachable, word: word)
    }
  }
}
