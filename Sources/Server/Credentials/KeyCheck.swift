internal import Domain
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor
internal import Store

/// The thread `key-check`: tries each new APNs key once, with the provider token that all nodes share, and stores
/// Apple's answer, or that Apple could not be reached. A key is not tried again automatically.
final class KeyCheck: Sendable {
  private let wishes: Inbox<App.Number>

  init(_ configuration: Configuration, databaseURL: String, master: MasterKey) throws {
    let wishes = try Inbox<App.Number>(capacity: 1024)
    self.wishes = wishes
    _ = try Thread(name: "key-check") {
      let log = Logger(label: "key-check")
      while !wishes.isClosed {
        let apps = Set(wishes.receive(atMost: .seconds(60)))
        guard !apps.isEmpty else { continue }
        do {
          // Connects on demand, because keys are rarely stored.
          let connection = try Connection(databaseURL)
          for app in apps where !wishes.isClosed { try Self.check(app, connection, configuration, master, log) }
        } catch {
          log.warning("a new APNs key could not be tried", metadata: FailureDetails.of(error).mapValues { "\($0)" })
        }
      }
    }
  }

  /// Queues the check of an app's new key. If the queue is full the key is not checked here, but `upmc doctor` can do
  /// so. Callable from any thread.
  func look(at app: App.Number) {
    _ = wishes.offer(app)
  }

  func stop() {
    wishes.close()
  }

  private static func check(
    _ number: App.Number, _ connection: Connection, _ configuration: Configuration, _ master: MasterKey, _ log: Logger
  ) throws {
    guard let app = try connection.run(Apps.all()).map(\.app).first(where: { $0.number == number }),
      let sealed = try connection.run(CredentialChecks.begin(number, .apns))
    else { return }
    let (result, word): (CredentialChecks.Result, String) =
      switch try ask(app, configuration, master, connection) {
      case .works(let word): (.works, word)
      case .refused(let word): (.refused, word)
      case .unreachable(let reason): (.unreachable, reason)
      }
    try connection.run(CredentialChecks.end(number, .apns, sealed: sealed, result, word: word))
    guard result != .works else { return }
    log.error(
      "Apple does not take a new APNs key, or was not reached",
      metadata: ["app": "\(app.appID)", "result": "\(result.name)", "word": "\(word)"])
  }

  private static func ask(
    _ app: App, _ configuration: Configuration, _ master: MasterKey, _ connection: Connection
  ) throws -> ProviderProbe.Answer {
    let probe = try ProviderProbe(configuration, master: master, machine: SystemClock())
    defer { probe.stop() }
    func answer(_ environment: PushEnvironment) throws -> ProviderProbe.Answer {
      try probe.ask([ProviderProbe.Question(app: app, network: .apns, environment: environment)], connection)[0]
    }
    let production = try answer(.production)
    // Apple may accept the key in the sandbox only.
    if case .refused(let reason) = production, reason.contains("Environment"), case .works = try answer(.sandbox) {
      return .works("\(reason); the sandbox takes it")
    }
    return production
  }
}
