internal import Operations
internal import Postgres
package import Reactor
internal import Server

/// Implements `upmc doctor`: checks everything that a server needs, from the configuration to the push networks.
package final class Doctor {
  private let clock: any Clock
  /// True to also verify the invariants of messages and counts.
  private let checksInvariants: Bool
  /// Called with each finding as soon as it is made.
  private let report: (Finding) -> Void
  package private(set) var failures = 0
  package private(set) var warnings = 0

  /// Creates a doctor.
  /// - Parameters:
  ///   - clock: the system's clock, except in tests.
  ///   - checksInvariants: true to also verify the invariants of messages and counts.
  ///   - report: called with each finding as soon as it is made.
  package init(
    clock: any Clock = SystemClock(), checksInvariants: Bool = false, report: @escaping (Finding) -> Void
  ) {
    self.clock = clock
    self.checksInvariants = checksInvariants
    self.report = report
  }

  /// Checks the server that the given `UPMC_…` variables configure.
  package func examine(environment: [String: String]) {
    var environment = environment
    if let demonstration = demonstration(environment) { environment.merge(demonstration) { own, _ in own } }
    let configuration: Configuration
    do {
      configuration = try Configuration(environment: environment)
      let count = environment.count { Configuration.isOurs($0.key, $0.value) }
      note(.ok("configuration", "environment", "\(count) variables of UPMC, all understood"))
    } catch {
      return note(
        .failure(
          "configuration", "environment", error.description, remedy: "Correct the variable; `upmc serve --help`."))
    }
    for finding in MachineChecks(configuration, clock: clock).findings() { note(finding) }
    for finding in ListenerChecks(configuration, clock: clock).findings() { note(finding) }
    for finding in ProxyChecks(configuration).findings() { note(finding) }
    if let finding = collector(configuration) { note(finding) }
    if let finding = trial(configuration) { note(finding) }
    guard let database = open(configuration) else { return }
    defer { database.close() }
    let url = database.url
    let place = configuration.databaseURL == nil ? "private, \(configuration.dataDirectory)" : Connection.place(of: url)
    let look = DatabaseChecks(configuration, url: url, place: place, clock: clock)
    let connection = look.examine(note)
    guard let connection, look.isUsable else { return }
    let apps = AppChecks(configuration, connection, clock: clock, isClockWrong: look.isClockWrong)
    apps.examine(mayWrite: look.takesWrites, note)
    if checksInvariants { checkInvariants(url, place) }
  }

  /// Returns the settings of a demo that is running on this machine; nil if there is none.
  private func demonstration(_ environment: [String: String]) -> [String: String]? {
    guard environment["UPMC_DATABASE_URL"] ?? "" == "" else { return nil }
    let directory = environment["UPMC_DATA_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? Configuration().dataDirectory
    guard let settings = DemoSettings.load(directory) else { return nil }
    note(.ok("demonstration", directory, "runs here, and is looked at with its own settings"))
    return settings
  }

  /// Returns the finding about the collector of spans and metrics; nil if nothing is exported. Pushes do not depend on
  /// it.
  private func collector(_ configuration: Configuration) -> Finding? {
    guard let (host, objection) = configuration.tryCollector(clock: clock) else { return nil }
    guard let objection else { return .ok("collector", host, "takes spans and metrics") }
    return .warning(
      "collector", host, "it does not take exports: \(objection)",
      remedy: "Check UPMC_OTLP_URL and UPMC_OTLP_HEADERS. \(ConnectionRemedy(configuration).text(for: host))")
  }

  /// Returns the finding about a server that only tries FCM out; nil if it delivers. Nothing else shows that: Google
  /// accepts each message.
  private func trial(_ configuration: Configuration) -> Finding? {
    guard configuration.fcmValidatesOnly else { return nil }
    return .warning(
      "FCM", "UPMC_FCM_VALIDATE_ONLY", "true: Google checks every message and delivers none",
      remedy: "Take it away, and restart the server, before messages are to arrive.")
  }

  /// Opens the database that is to be checked. If there is none, or it does not start, notes a finding and returns nil.
  private func open(_ configuration: Configuration) -> Database? {
    if configuration.databaseURL == nil, !PrivateDatabase.exists(in: configuration.dataDirectory) {
      note(
        .warning(
          "database", configuration.dataDirectory, "there is no database yet",
          remedy: "If a server runs here, run the doctor with its variables (Debian package: `sudo upmcctl doctor`). "
            + "Otherwise set UPMC_DATABASE_URL, or start `upmc serve`, which creates a private database here."))
      return nil
    }
    do {
      return try Database(configuration)
    } catch {
      note(
        .failure(
          "database", configuration.dataDirectory, "the private database does not start: \(error)",
          remedy: "See postgres.log in that directory, and its owner and free space."))
      return nil
    }
  }

  /// Verifies the invariants, on a separate connection without the short statement timeout.
  private func checkInvariants(_ url: String, _ place: String) {
    do {
      InvariantChecks(place: place).examine(try Connection(url), note)
    } catch {
      note(.failure("invariants", place, "\(error)", remedy: DatabaseChecks.remedy(error)))
    }
  }

  private func note(_ finding: Finding) {
    switch finding.severity {
    case .ok: break
    case .warning: warnings += 1
    case .failure: failures += 1
    }
    report(finding)
  }
}
