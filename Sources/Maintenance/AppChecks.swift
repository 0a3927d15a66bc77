internal import Domain
internal import Operations
internal import Postgres
internal import Reactor
internal import Server
internal import Store
internal import TLS
internal import Time

/// The checks of `upmc doctor` for the master key, the apps, and the push networks.
struct AppChecks {
  private let configuration: Configuration
  private let connection: Connection
  private let clock: any Clock
  /// True if this machine's clock differs from the database's. Networks that reject tokens because of their time do not
  /// set it.
  private let isClockWrong: Bool

  init(_ configuration: Configuration, _ connection: Connection, clock: any Clock, isClockWrong: Bool) {
    self.isClockWrong = isClockWrong
    self.configuration = configuration
    self.connection = connection
    self.clock = clock
  }

  func examine(mayWrite: Bool, _ note: (Finding) -> Void) {
    do {
      let apps = try connection.run(Apps.all()).map(\.app).sorted { $0.appID < $1.appID }
      let credentials = try connection.run(Secrets.credentials())
      if apps.isEmpty {
        note(.warning("apps", "database", "there are none", remedy: "Make one: `upmc app create com.example.bank`."))
      }
      for app in apps {
        settings(app, credentials.filter { $0.app == app.number }, note)
        try extensionOf(app, note)
        try refreshedTokens(app, note)
      }
      guard let master = try master(note) else { return }
      var questions: [ProviderProbe.Question] = []
      // Apps whose credential a finding has already reported as unusable.
      var closed: Set<App.Number> = []
      for app in apps {
        for credential in credentials where credential.app == app.number {
          guard opens(credential, app, master, note) else {
            if credential.network == .apns { closed.insert(app.number) }
            continue
          }
          for environment in try environments(credential) {
            questions.append(
              ProviderProbe.Question(app: app, network: credential.network, environment: environment))
          }
        }
      }
      // Without trust anchors, TLS fails, and the errors would wrongly be attributed to the push networks.
      if mayWrite, configuration.caFile == nil || MachineChecks.trusts(configuration.caFile) {
        try ask(questions, master, note)
        try ChannelChecks(configuration, connection, master: master).examine(
          apps.filter { !closed.contains($0.number) }, note)
      }
    } catch {
      note(
        .failure("apps", "database", "\(error)", remedy: "See the sentence; then run the doctor again."))
    }
  }

  // MARK: Settings

  private func settings(_ app: App, _ credentials: [Secrets.Credential], _ note: (Finding) -> Void) {
    if let reason = app.pausedReason {
      note(
        .failure(
          "app", app.appID, "sends nothing: \(reason)", remedy: "Fix the cause, then `upmc app resume \(app.appID)`."))
    }
    if credentials.isEmpty {
      note(
        .warning(
          "app", app.appID, "has no credential: nothing can be sent",
          remedy: "`upmc app credential \(app.appID) --apns-key …` or `--fcm-service-account …`."))
    }
    identity(app, note)
  }

  private func extensionOf(_ app: App, _ note: (Finding) -> Void) throws(Problem) {
    guard try ExtensionCheck.reports(app, on: connection) == false else { return }
    note(
      .warning(
        "extension", app.appID, ExtensionCheck.silence.english,
        remedy: """
          Short messages unless received go to nearly everybody with an iPhone: use unless: read until the app has a \
          Notification Service Extension that confirms receipts. Has it none for good: `upmc app policy \(app.appID) \
          --extension off`.
          """))
  }

  private func refreshedTokens(_ app: App, _ note: (Finding) -> Void) throws {
    let days = Operations.Limits.countedIdentityDays
    let count = try connection.run(Bindings.refusals(of: app.number, days: days)).refreshed
    guard count > 0 else { return }
    let word =
      app.identity == .open
      ? "; or, if whoever knows a DEVICE_ID may have its user's pushes, `upmc app policy \(app.appID) --keep-user-on-refresh on`"
      : ""
    note(
      .warning(
        "identity", app.appID,
        """
        in \(days) days \(count) devices of users became guests: a new push token, and no key of their last registration
        """,
        remedy: "Have the app name its user when rcv_get_service answers C, or register with the former AUTHKEY\(word)."
      ))
  }

  private func identity(_ app: App, _ note: (Finding) -> Void) {
    if let end = app.identityRules.graceEndsAt {
      let date = end.description.prefix(10)
      note(
        .warning(
          "identity", app.appID,
          "\(app.identity.name); until \(date) devices stay with users that nobody vouched for, then they become guests",
          remedy: "Look how many are left: `upmc app identity \(app.appID)`."))
    } else if app.identity == .open {
      note(
        .warning(
          "identity", app.appID, "open: whoever knows a customer's id and the app gets that customer's pushes",
          remedy: """
            Have the app's server vouch for its users, then `upmc app policy \(app.appID) --observe proof` and \
            `--identity proof`.
            """))
    } else {
      note(.ok("identity", app.appID, app.identity.name))
    }
  }

  // MARK: Secrets

  /// Checks the master key and returns it; nil if it cannot be used.
  private func master(_ note: (Finding) -> Void) throws -> MasterKey? {
    let place = configuration.masterKeyFile ?? (configuration.masterKey == nil ? "UPMC_DATA_DIR" : "UPMC_MASTER_KEY")
    let master: MasterKey
    if configuration.databaseURL == nil, configuration.masterKey == nil, configuration.masterKeyFile == nil,
      !PrivateDatabase.hasKey(in: configuration.dataDirectory)
    {
      // The key file does not exist: loading the key would create it, so report that instead.
      note(
        .failure(
          "master key", "\(configuration.dataDirectory)/master.key", "it is not there",
          remedy: "Bring it back from where it is kept: nothing that is sealed opens without it."))
      return nil
    }
    do {
      master = try MasterKeyFile.load(configuration)
    } catch {
      note(.failure("master key", place, "\(error)", remedy: "Give the key that every node of this database has."))
      return nil
    }
    switch try SigningKeys.fit(master, connection) {
    case true?:
      note(openFile ?? .ok("master key", place, "opens what the database holds"))
      try rotation(master, place, note)
      return master
    case false?:
      note(
        .failure(
          "master key", place, "it does not open what the database holds: this is another key",
          remedy:
            "Set UPMC_MASTER_KEY or UPMC_MASTER_KEY_FILE to the key this database was made with, as kept with its backups."
        ))
      return nil
    case nil:
      note(openFile ?? .ok("master key", place, "readable; nothing is sealed with it yet"))
      return master
    }
  }

  /// Reports the progress of a master key rotation, while there is more than one key.
  private func rotation(_ master: MasterKey, _ place: String, _ note: (Finding) -> Void) throws {
    if let current = try MasterKeyRotation.current(on: connection) { _ = master.seal(with: current) }
    let former = master.ids.filter { $0 != master.sealingID }
    guard !former.isEmpty else { return }
    let names = former.map(\.description).joined(separator: ", ")
    let left = try MasterKeyRotation.countLeft(master, on: connection)
    let nodes = try MasterKeyRotation.nodes(master.sealingID, on: connection)
    guard left == 0, nodes.seal == nodes.all else {
      return note(
        .warning(
          "master key", place,
          "\(left) secrets are sealed with another key than \(master.sealingID), and \(nodes.seal) of \(nodes.all) nodes seal with it",
          remedy: "`upmc master-key rotate` goes on until all are sealed anew."))
    }
    note(
      .warning(
        "master key", place, "nothing needs \(names) any more: all is sealed with \(master.sealingID)",
        remedy:
          "Keep it with the backups that were made before, and remove it here and on the other nodes: `upmc master-key forget`."
      ))
  }

  /// A warning if users other than the key file's owner may access it; nil otherwise, or if the file does not exist.
  private var openFile: Finding? {
    guard let path = MasterKeyFile.path(configuration), let file = FileStatus(path) else { return nil }
    // The package installs the file as root's, readable only by the group of the server's own user.
    let isServers = file.owner == 0 && file.group == SystemAccount.current?.gid && file.group != 0
    guard file.permissions & 0o007 != 0 || file.permissions & 0o070 != 0 && !isServers else { return nil }
    let who = file.permissions & 0o007 != 0 ? "others on this machine" : "the members of its group"
    return .warning(
      "master key", path, "it opens what is sealed, but \(who) may read it",
      remedy: "`chmod 600 \(path)`, or 400: whoever has it can open every credential in a backup.")
  }

  private func opens(
    _ credential: Secrets.Credential, _ app: App, _ master: MasterKey, _ note: (Finding) -> Void
  ) -> Bool {
    let subject = "\(credential.network.pnsID) credential"
    do {
      guard let end = try CredentialSeal.open(credential, master, tokens: configuration.tokenAddress) else {
        note(.ok(subject, app.appID, "opens; a key does not end"))
        return true
      }
      let finding = MachineChecks.expiry(
        Timestamp(seconds: end), subject, app.appID, now: clock.wallTime,
        remedy: "Make a new certificate or, better, a .p8 key; `upmc app credential \(app.appID) …`.")
      note(finding)
      return finding.severity != .failure
    } catch {
      note(
        .failure(
          subject, app.appID, "\(error)", remedy: "Store it again: `upmc app credential \(app.appID) …`."))
      return false
    }
  }

  // MARK: Networks

  /// Returns the environments to check a credential with: Apple has two, and a key is valid for both.
  private func environments(_ credential: Secrets.Credential) throws(PostgresError) -> [PushEnvironment] {
    guard credential.network == .apns else { return [.production] }
    if credential.kind == Administration.apnsKeyKind { return [.production, .sandbox] }
    return try hasSandboxDevices(credential.app) ? [.production, .sandbox] : [.production]
  }

  private func hasSandboxDevices(_ app: App.Number) throws(PostgresError) -> Bool {
    try connection.run(Diagnosis.hasSandboxDevices(of: app))
  }

  private func ask(_ questions: [ProviderProbe.Question], _ master: MasterKey, _ note: (Finding) -> Void) throws {
    guard !questions.isEmpty else { return }
    let probe = try ProviderProbe(configuration, master: master, machine: clock)
    defer { probe.stop() }
    for (question, answer) in zip(questions, try probe.ask(questions, connection)) {
      let found = finding(question, answer, at: host(question))
      // If no device uses the environment, the failure is only a warning.
      let matters = try question.environment == .production || hasSandboxDevices(question.app.number)
      note(matters ? found : found.asWarning)
      if question.network == .fcm { note(tokenEndpoint(question, answer)) }
    }
    for network in Set(questions.map(\.network)).sorted(by: { $0.rawValue < $1.rawValue }) {
      if let difference = probe.clockDifference(to: network) { note(clockFinding(network, difference)) }
    }
  }

  private func host(_ question: ProviderProbe.Question) -> String {
    let service =
      question.network == .fcm
      ? configuration.fcm
      : question.environment == .sandbox ? configuration.apnsSandbox : configuration.apnsProduction
    return "\(service.host):\(service.port)"
  }

  /// Returns the finding about the token endpoint. FCM is called with a token from it, so any answer by FCM proves that
  /// it issued a valid one.
  private func tokenEndpoint(_ question: ProviderProbe.Question, _ answer: ProviderProbe.Answer) -> Finding {
    let place = "\(question.app.appID) at \(configuration.tokenAddress.url)"
    switch answer {
    case .works: return .ok("token endpoint", place, "gives access tokens")
    case .refused(let reason), .unreachable(let reason):
      return .warning(
        "token endpoint", place, "not known to give access tokens: \(reason)",
        remedy: "Fix what is said of FCM first; the way out must be open to both hosts.")
    }
  }

  /// Returns the finding about the difference between this machine's and the network's clock, in addition to the
  /// comparison with the database, because both machines' clocks may be wrong.
  private func clockFinding(_ network: PushNetwork, _ difference: Int64) -> Finding {
    let place = network.pnsID
    let said = "this machine is \(abs(difference)) s \(difference < 0 ? "ahead of" : "behind") the push network"
    let remedy = "Set this machine's clock by NTP (`timedatectl set-ntp true`)."
    if abs(difference) >= Maintenance.Limits.clockFailureSeconds {
      return .failure("clock", place, said, remedy: remedy)
    }
    // The network reports whole seconds, some time ago, so tolerate a small difference.
    if abs(difference) > Maintenance.Limits.clockWarningSeconds {
      return .warning("clock", place, said, remedy: remedy)
    }
    return .ok("clock", place, "agrees with the push network's")
  }

  private func finding(_ question: ProviderProbe.Question, _ answer: ProviderProbe.Answer, at host: String) -> Finding {
    let network = question.network.pnsID
    let place = "\(question.app.appID) at \(host)"
    switch answer {
    case .works(let word):
      return .ok(network, place, "works: to a made-up token it says \(word)")
    case .unreachable(let reason):
      return .failure(
        network, place, "cannot be reached: \(reason)",
        remedy: ConnectionRemedy(configuration).text(for: host))
    case .refused(let reason):
      return .failure(network, place, "refuses: \(reason)", remedy: mend(reason, question))
    }
  }

  private func mend(_ reason: String, _ question: ProviderProbe.Question) -> String {
    let command = "`upmc app credential \(question.app.appID) …`"
    if isClockWrong || reason.contains("clock") {
      return "Set this machine's clock by NTP (`timedatectl set-ntp true`)."
    }
    if reason.contains("ProviderToken") {
      return "Key, key id and team id do not belong together, or the key was revoked: store them again with \(command)."
    }
    if reason.contains("Topic") {
      return
        "The key or certificate is not for \(question.app.appID): check the app's id, or store the right one with \(command)."
    }
    if reason.contains("Environment") { return "Store a key for the production environment with \(command)." }
    if question.network == .fcm {
      return "Enable the FCM API in the project, and store a service account's new key with \(command)."
    }
    return "Store a credential that is good for this app with \(command)."
  }
}
