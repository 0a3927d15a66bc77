internal import Operations
internal import Postgres
internal import Reactor
internal import Server
internal import Store
internal import Time

/// The checks of `upmc doctor` for the database: whether it is reachable, accepts writes, has UPMC's schema, and stores
/// commits durably.
final class DatabaseChecks {
  private let configuration: Configuration
  private let url: String
  private let place: String
  private let time: DatabaseClock
  /// True if the schema is UPMC's, so that apps and credentials can be checked.
  private(set) var isUsable = false
  private(set) var takesWrites = false
  var isClockWrong: Bool { time.isDoubtful }

  init(_ configuration: Configuration, url: String, place: String, clock: any Clock) {
    self.configuration = configuration
    self.url = url
    self.place = place
    time = DatabaseClock(machine: clock)
  }

  /// Checks the database and returns the connection; nil if the database cannot be reached.
  func examine(_ note: (Finding) -> Void) -> Connection? {
    do throws(PostgresError) {
      var options = ConnectionOptions()
      options.applicationName = "upmc doctor"
      options.statementTimeout = .seconds(Maintenance.Limits.databaseSeconds)
      guard try !lendsSessions(note) else { return nil }
      let connection = try Connection(url, options: options)
      let asked = time.now
      let server = try connection.run(Diagnosis.server())
      time.learn(server.wallTime, asked: asked, answered: time.now)
      look(at: server, note)
      note(clockDifference)
      guard try !isBeingRestored(connection, note) else { return connection }
      guard lookAtSchema(connection, note) else { return connection }
      isUsable = true
      if let finding = BackupChecks.finding(server: server.version) { note(finding) }
      lookAtStanding(connection, note)
      return connection
    } catch {
      note(.failure("database", place, "\(error)", remedy: Self.remedy(error)))
      return nil
    }
  }

  // MARK: Connecting

  /// Returns false if a connection pooler does not lend whole sessions, in which case further queries would not be
  /// reliable.
  private func lendsSessions(_ note: (Finding) -> Void) throws(PostgresError) -> Bool {
    guard configuration.databaseURL != nil, try Pooling.lendsSessions(url) else { return false }
    note(.failure("pooler", place, Pooling.complaint, remedy: Pooling.remedy))
    return true
  }

  /// Returns the remedy for a connection error. Derived from the message if the error has no code, as with libpq's own
  /// errors and those of poolers.
  static func remedy(_ error: PostgresError) -> String {
    let words = error.message.lowercased()
    if error.sqlState == .diskFull || words.contains("no space left") || words.contains("could not write init file") {
      return "Make room on the disk of the database: it is full."
    }
    if let remedy = DatabaseRefusal.remedy(error) { return remedy }
    if words.contains("password") || words.contains("authentication") {
      return "Correct user and password in UPMC_DATABASE_URL, or the server's pg_hba.conf."
    }
    if words.contains("does not exist") {
      return "Make the role and the database (`createuser`, `createdb`), or correct their names in UPMC_DATABASE_URL."
    }
    if words.contains("read-only") || words.contains("read only") || words.contains("session is not") {
      return "No host in UPMC_DATABASE_URL takes writes: promote a standby, or name the primary too."
    }
    if words.contains("startup parameter") {
      return "Name the parameter in ignore_startup_parameters of the pooler, or leave it out of UPMC_DATABASE_URL."
    }
    if words.contains("query_wait_timeout") || words.contains("max_client_conn") {
      return "Raise default_pool_size and max_client_conn of the pooler: a node takes about "
        + "\(Maintenance.Limits.connectionsOfNode) sessions for as long as it runs."
    }
    if words.contains("too many clients") || words.contains("slots") {
      return "Raise max_connections, or run fewer nodes."
    }
    if error.origin == .refusal { return "Write UPMC_DATABASE_URL like postgresql://user:password@host:5432/upmc." }
    return "Start PostgreSQL, open the way to its port, or correct host and port in UPMC_DATABASE_URL."
  }

  // MARK: The server

  private func look(at server: Diagnosis.Server, _ note: (Finding) -> Void) {
    let version = "PostgreSQL \(server.version / 10_000).\(server.version % 10_000)"
    takesWrites = !server.isReadOnly && !server.isStandby
    if server.version < ServerVersion.oldestNumber {
      note(
        .failure(
          "database", place, "\(version) is too old",
          remedy: "Use PostgreSQL \(ServerVersion.oldestMajor) or newer."))
    } else if !takesWrites {
      let why = server.isStandby ? "it is a standby" : "it is set to read only (default_transaction_read_only)"
      note(
        .failure(
          "database", place, "\(version) takes no writes: \(why)",
          remedy: "Name the primary, or all hosts with target_session_attrs=read-write, in UPMC_DATABASE_URL."))
    } else {
      note(.ok("database", place, "\(version), takes writes, user \(server.user)"))
    }
    if server.encoding != "UTF8" {
      note(
        .failure("encoding", place, "the database is \(server.encoding)", remedy: "Make it with ENCODING 'UTF8'."))
    }
    if !server.maySetUp, takesWrites {
      note(
        .failure(
          "rights", place, "\(server.user) may make no tables: no migration and no partition can be made",
          remedy: "GRANT CREATE ON SCHEMA public TO \(server.user); or let it own the database."))
    }
    if !server.durabilityOff.isEmpty {
      note(
        .warning(
          "durability", place, "off: \(server.durabilityOff). What was answered may be lost when the machine fails",
          remedy: "Turn it on in postgresql.conf."))
    }
    if Connection.mayMeetStandby(url) {
      note(
        .warning(
          "failover", "UPMC_DATABASE_URL", "several hosts are named, and a standby among them would be taken",
          remedy: "Add target_session_attrs=read-write."))
    }
    if server.maxConnections - server.connections < Maintenance.Limits.connectionsOfNode {
      note(
        .warning(
          "connections", place, "\(server.connections) of \(server.maxConnections) are in use",
          remedy: "Raise max_connections: a node takes about \(Maintenance.Limits.connectionsOfNode)."))
    }
    if configuration.databaseURL != nil, let directory = server.dataDirectory, let room = MachineChecks.room(directory)
    {
      note(room)
    }
  }

  private var clockDifference: Finding {
    guard let said = time.complaint else { return .ok("clock", place, "agrees with the database's") }
    let remedy = "Set both clocks by NTP (`timedatectl set-ntp true`)."
    guard isClockWrong else { return .warning("clock", place, "this machine's is \(said)", remedy: remedy) }
    return .failure("clock", place, "this machine's is \(said): a server here sends nothing", remedy: remedy)
  }

  // MARK: The schema

  /// Returns true if a restore was interrupted. The schema is then not checked: migrating it would be the wrong advice.
  private func isBeingRestored(_ connection: Connection, _ note: (Finding) -> Void) throws(PostgresError) -> Bool {
    guard try connection.run(Restoration.isUnfinished()) else { return false }
    note(
      .failure(
        "restore", place, "the database is in the middle of being restored: no server starts on it",
        remedy: "Run `upmc restore` with the same file again, unless one is still running: it resumes the restore."))
    return true
  }

  /// Checks the schema. Returns false if UPMC's tables cannot be read.
  private func lookAtSchema(_ connection: Connection, _ note: (Finding) -> Void) -> Bool {
    do throws(MigratorError) {
      let directory = try MigratorFiles.locate(configured: configuration.migrationsDirectory)
      let migrator = try Migrator(directory: directory)
      let pending = try migrator.pending(connection)
      guard let first = pending.first else {
        note(lookAtVersion(try migrator.newerSchema(connection)))
        return true
      }
      if let objection = try migrator.objection(to: connection) {
        // A check above reports the encoding already.
        if case .wrongEncoding = objection { return false }
        note(
          .failure(
            "schema", place, "\(objection)",
            remedy: "Make a database of its own for UPMC (`createdb`), and name it in UPMC_DATABASE_URL."))
        return false
      }
      let said = "\(pending.count) migrations are missing, from \(first.fileName)"
      if configuration.databaseURL == nil {
        note(.warning("schema", place, said, remedy: "They are applied when `upmc serve` starts."))
      } else {
        note(
          .failure("schema", place, said, remedy: "Run `upmc migrate`, or start `upmc serve`, which does the same."))
      }
      return first.version > 1
    } catch {
      let remedy = error.databaseError.map(Self.remedyWhileReading)
      note(
        .failure(
          "schema", place, "\(error)",
          remedy: remedy ?? "Use an upmc and a Migrations directory that belong together."))
      return false
    }
  }

  private func lookAtVersion(_ newer: Int?) -> Finding {
    guard let newer else { return .ok("schema", place, "up to date (\(Migrator.newestKnownVersion))") }
    return .warning(
      "schema", place, "at \(newer), newer than this upmc (\(Migrator.newestKnownVersion)), which still works with it",
      remedy: "Go on with the upgrade: start the new upmc here too.")
  }

  private func lookAtStanding(_ connection: Connection, _ note: (Finding) -> Void) {
    do throws(PostgresError) {
      let snapshot = try connection.run(Vitals.snapshot())
      let nodes = snapshot.nodes == 0 ? "no server runs on it now" : "\(snapshot.nodes) nodes are alive"
      note(.ok("nodes", place, nodes))
      if snapshot.seqnosLeft < Maintenance.Limits.seqnosLeft {
        note(
          .failure(
            "partitions", place, "only \(snapshot.seqnosLeft) more messages have partitions",
            remedy: "A running server makes them ahead: start one, and see its log for complaints of `janitor`."))
      }
      if snapshot.overdue > 0, snapshot.nodes > 0 {
        note(
          .warning(
            "deliveries", place, "\(snapshot.overdue) wait although their time came a minute ago",
            remedy: "Look for paused apps below, and at /metrics whether the nodes keep up."))
      }
      try StandstillChecks(place: place).examine(connection, note)
      try SettingsChecks(settings: configuration.sharedSettings).examine(connection, note)
      try HistoryChecks(place: place, days: configuration.keptHistoryDays).examine(connection, note)
      if let finding = try PlacementCheck(place: place).finding(connection) { note(finding) }
    } catch {
      note(.failure("database", place, "\(error)", remedy: Self.remedyWhileReading(error)))
    }
  }

  /// Returns the remedy for an error of a query by the doctor, on a database that it has reached.
  static func remedyWhileReading(_ error: PostgresError) -> String {
    if error.isConnectionLost { return remedy(error) }
    switch error.sqlState {
    case .undefinedTable?, .undefinedColumn?: return "Run `upmc migrate`, then the doctor again."
    case .insufficientPrivilege?: return "Let the role of UPMC_DATABASE_URL own the database and its tables."
    case .queryCanceled?, .lockNotAvailable?:
      return "The database is busy, or a lock is in the way: see pg_stat_activity, then run the doctor again."
    default: return "See PostgreSQL's log for more, then run the doctor again."
    }
  }
}
