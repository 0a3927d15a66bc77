internal import Domain
internal import Operations
internal import Postgres
internal import Server
internal import Store

/// The checks of `upmc doctor` for broadcast channels: whether Apple's channel hosts accept an app's credential, and
/// whether Apple lists the channels that are stored here.
struct ChannelChecks {
  private let configuration: Configuration
  private let connection: Connection
  private let directory: any ChannelDirectory

  init(_ configuration: Configuration, _ connection: Connection, master: MasterKey) throws {
    self.configuration = configuration
    self.connection = connection
    directory = try AppleChannels(configuration, master: master, on: connection)
  }

  /// Checks the apps that have channels. Skips the others, for which the channel hosts need not be reachable.
  func examine(_ apps: [App], _ note: (Finding) -> Void) throws(PostgresError) {
    for environment in PushEnvironment.allCases {
      for app in apps {
        let stored = try connection.run(Channels.numbers(app.number, environment))
        guard !stored.isEmpty else { continue }
        do throws(Problem) {
          let listed = Set(try directory.list(of: app, in: environment, on: connection))
          for finding in compare(stored, listed, app, environment) { note(finding) }
        } catch {
          note(
            .failure(
              Self.subject, place(app, environment),
              "\(stored.count) stored, and Apple does not list them: \(error.detail)",
              remedy: remedy(error, app, environment)))
          // The remaining channels would wait for the same unreachable host.
          if error.code == .networkAway || error.code == .outcomeUnknown { break }
        }
      }
    }
  }

  private static let subject = "channels"
  /// Maximum number of names in one finding.
  private static let named = 3

  private func compare(
    _ stored: [String: Channels.Number], _ listed: Set<String>, _ app: App, _ environment: PushEnvironment
  ) -> [Finding] {
    let place = place(app, environment)
    let lost = stored.filter { !listed.contains($0.key) }.values.sorted()
    let strange = listed.subtracting(stored.keys).sorted()
    var findings: [Finding] = []
    if !lost.isEmpty {
      findings.append(
        .failure(
          Self.subject, place, "Apple does not have \(lost.count) of \(stored.count): \(Self.some(lost))",
          remedy: """
            What is published on them reaches nobody. Delete them (`upmc channel delete \(app.appID) \(lost[0])`) and make \
            new ones.
            """))
    }
    if !strange.isEmpty {
      findings.append(
        .warning(
          Self.subject, place, "Apple has \(strange.count) that are not stored here: \(Self.some(strange))",
          remedy: """
            They count among the app's \(Domain.Limits.channelsPerEnvironment). `upmc channel adopt \(app.appID) \
            \(strange[0]) --environment \(environment.name) --name …`, then publish on them or delete them.
            """))
    }
    return findings.isEmpty ? [.ok(Self.subject, place, "\(stored.count), as Apple lists them")] : findings
  }

  private static func some(_ names: [some Any]) -> String {
    names.prefix(named).map { "\($0)" }.joined(separator: ", ") + (names.count > named ? " …" : "")
  }

  private func place(_ app: App, _ environment: PushEnvironment) -> String { "\(app.appID) at \(host(environment))" }

  private func host(_ environment: PushEnvironment) -> String {
    let service =
      environment == .sandbox ? configuration.apnsChannelsSandbox : configuration.apnsChannelsProduction
    return "\(service.host):\(service.port)"
  }

  private func remedy(_ problem: Problem, _ app: App, _ environment: PushEnvironment) -> String {
    switch problem.code {
    case .networkAway, .outcomeUnknown: ConnectionRemedy(configuration).text(for: host(environment))
    case .impossible:
      """
      Give the app's identifier the broadcast capability in Apple's developer account, and store the key or certificate \
      that is for \(app.appID): `upmc app credential \(app.appID) …`.
      """
    default: "Store a credential that is good for this app with `upmc app credential \(app.appID) …`."
    }
  }
}
