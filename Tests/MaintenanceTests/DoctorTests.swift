import Maintenance
import Crypto
import Domain
import Operations
import Postgres
import Reactor
import Server
import Simulator
import Store
import TLS
import TestSupport
import TestTier
import Testing
import Time

/// Set-ups with one thing broken each: the doctor names it and says how to mend it.
@Suite(.slow, .serialized) struct DoctorTests {
  @Test func `a set-up that works has no failure, and both networks take what it sends`() throws {
    let world = try MaintenanceWorld()
    try world.setServiceAccount()
    let found = world.findings()
    #expect(found.failures.isEmpty, "\(found.failures)")
    let answers = found.filter { ["APNS", "FCM"].contains($0.subject) }
    // Both of Apple's services, and Google's with where its access tokens are got.
    #expect(answers.count == 3 && answers.allSatisfy { $0.what.contains("works") }, "\(answers)")
    #expect(Set(answers.map(\.place)).count == 3)
    #expect(found.contains { $0.subject == "token endpoint" && $0.severity == .ok })
    #expect(found.contains { $0.subject == "clock" && $0.place == "FCM" && $0.severity == .ok }, "\(found)")
    #expect(found.contains { $0.subject == "identity" && $0.severity == .ok && $0.what == "proof" })
  }

  @Test func `an app that takes a device's word, and one that has just become stricter`() throws {
    let world = try MaintenanceWorld()
    try world.connection.script("UPDATE apps SET identity = 0")
    let open = try #require(world.findings().first { $0.subject == "identity" })
    #expect(
      open.severity == .warning && open.what.contains("open") && open.remedy.contains("--observe proof"), "\(open)")
    try world.connection.script("UPDATE apps SET identity = 1, grace_ends_at = '2030-01-02T03:04:05Z'")
    let grace = try #require(world.findings().first { $0.subject == "identity" })
    #expect(grace.severity == .warning && grace.what.contains("2030-01-02"), "\(grace)")
  }

  @Test func `BadDeviceToken means that APNs takes the rest`() throws {
    let world = try MaintenanceWorld { $0.unregisteredTokens = .refused }
    let found = world.findings()
    #expect(found.failures.isEmpty, "\(found.failures)")
    #expect(try #require(found.first { $0.subject == "APNS" }).what.contains("BadDeviceToken"))
  }

  // MARK: Configuration

  @Test func `a misspelled variable`() throws {
    MaintenanceWorld.findings(["UPMC_DATABSE_URL": "x"]).expectOnlyFailure(
      "configuration", "UPMC_DATABSE_URL is not a variable of UPMC", remedy: "Correct the variable")
  }

  @Test func `a setting that differs on a live node is reported with its values`() throws {
    let world = try MaintenanceWorld()
    let node = UUIDValue(high: 7, low: 7)
    _ = try world.connection.run(Nodes.beat(node, seconds: 600))
    try world.connection.run(NodeSettings.report(node, #"{"UPMC_KEEP_HISTORY_DAYS":"7","UPMC_FCM_QUOTA":"600000"}"#))
    let found = world.findings().filter { $0.subject == "settings" }
    #expect(found.map(\.place) == ["UPMC_KEEP_HISTORY_DAYS"], "\(found)")
    #expect(found.allSatisfy { $0.severity == .warning && $0.what.contains("7, 90") }, "\(found)")
    let alike = world.findings(["UPMC_KEEP_HISTORY_DAYS": "7"]).filter { $0.subject == "settings" }
    #expect(alike.isEmpty, "\(alike)")
    // It ends, and this process is set to a shorter time.
    try world.connection.run(NodeSettings.report(node, #"{"UPMC_KEEP_HISTORY_DAYS":"120"}"#))
    try world.connection.run(Nodes.leave(node))
    let shorter = world.findings().filter { $0.subject == "settings" }
    #expect(shorter.map(\.place) == ["UPMC_KEEP_HISTORY_DAYS"], "\(shorter)")
    #expect(shorter.allSatisfy { $0.severity == .warning && $0.what.contains("is 90 now, and was 120") }, "\(shorter)")
  }

  @Test func `a listener certificate that ended`() throws {
    let world = try MaintenanceWorld()
    let now = SystemClock().wallTime.seconds
    let authority = try CertificateAuthority()
    let identity = try authority.issueServer(notBefore: now - 20 * 86_400, notAfter: now - 10 * 86_400)
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    TemporaryDirectory.write(directory + "/server.pem", identity.pem)
    world.findings(["UPMC_TLS_CERTIFICATE": directory + "/server.pem"]).expectOnlyFailure(
      "listener certificate", "ended 10 days ago", remedy: "Renew it")
  }

  // MARK: Database

  @Test func `a database that cannot be reached`() throws {
    let world = try MaintenanceWorld()
    world.findings(["UPMC_DATABASE_URL": "postgresql://upmc@127.0.0.1:\(Self.deadPort)/upmc"]).expectOnlyFailure(
      "database", "Connection refused", remedy: "Start PostgreSQL")
  }

  @Test func `a database that does not exist`() throws {
    let world = try MaintenanceWorld()
    world.findings(["UPMC_DATABASE_URL": TestCluster.shared.url(database: "nowhere")]).expectOnlyFailure(
      "database", "does not exist", remedy: "createdb")
  }

  @Test func `a wrong password`() throws {
    let world = try MaintenanceWorld()
    let cluster = TestCluster()
    defer { cluster.remove() }
    let administrator = try TestDatabase.connect(to: cluster.url(database: "postgres"))
    try administrator.script("CREATE ROLE upmc LOGIN PASSWORD 'right'")
    TemporaryDirectory.write(
      cluster.directory + "/data/pg_hba.conf", "local all postgres trust\nlocal all all scram-sha-256\n")
    try administrator.script("SELECT pg_reload_conf()")
    let url = "postgresql://upmc:wrong@/postgres?host=\(cluster.directory)"
    // The postmaster reads its file again in its own time.
    let found = try poll("no password is asked for") { () -> [Finding]? in
      let findings = world.findings(["UPMC_DATABASE_URL": url])
      return findings.failures.contains(where: { $0.what.contains("password") }) ? findings : nil
    }
    found.expectOnlyFailure("database", "password authentication failed", remedy: "user and the password")
    #expect(!found.contains { "\($0)".contains("wrong") })
  }

  @Test func `a schema that was never migrated`() throws {
    let world = try MaintenanceWorld()
    let empty = try TestDatabase.makeEmpty()
    world.findings(["UPMC_DATABASE_URL": empty.url]).expectOnlyFailure(
      "schema", "migrations are missing, from 0001", remedy: "upmc migrate")
  }

  @Test func `a schema that a newer upmc has migrated`() throws {
    let world = try MaintenanceWorld()
    try world.connection.script(
      """
      INSERT INTO upmc_migrations (version, name, sha256, duration_ms)
      VALUES (9999, 'from_the_future', decode(repeat('00', 32), 'hex'), 1)
      """)
    world.findings().expectOnlyFailure("schema", "by a newer upmc", remedy: "belong together")
  }

  @Test func `a database that takes no writes`() throws {
    let world = try MaintenanceWorld()
    try world.connection.script("ALTER DATABASE \(world.database.name) SET default_transaction_read_only = on")
    world.findings().expectOnlyFailure("database", "takes no writes", remedy: "target_session_attrs=read-write")
  }

  @Test func `a pooler that lends sessions for a transaction`() throws {
    let world = try MaintenanceWorld()
    let pooler = TestPooler(.transaction)
    defer { pooler.remove() }
    world.findings(["UPMC_DATABASE_URL": pooler.url(database: world.database.name)]).expectOnlyFailure(
      "pooler", "LISTEN and locks get lost", remedy: "pool_mode = session")
  }

  @Test func `a pooler that lends sessions for as long as they are wanted is as good as none`() throws {
    let world = try MaintenanceWorld()
    let pooler = TestPooler(.session)
    defer { pooler.remove() }
    let found = world.findings(["UPMC_DATABASE_URL": pooler.url(database: world.database.name)])
    #expect(found.failures.isEmpty, "\(found.failures)")
  }

  @Test func `a schema that a newer upmc has migrated, but that this one still works with, is only a warning`() throws {
    let world = try MaintenanceWorld()
    try world.connection.script(
      """
      INSERT INTO upmc_migrations (version, name, sha256, duration_ms, oldest_program)
      VALUES (\(Migrator.newestKnownVersion + 1), 'add_something', decode(repeat('00', 32), 'hex'), 1, 1)
      """)
    let found = world.findings()
    #expect(found.failures.isEmpty, "\(found.failures)")
    #expect(
      found.contains {
        $0.subject == "schema" && $0.severity == .warning && $0.remedy.contains("Go on with the upgrade")
      }
    )
  }

  // MARK: Secrets

  @Test func `a wrong master key`() throws {
    let world = try MaintenanceWorld()
    world.findings(["UPMC_MASTER_KEY": "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg="]).expectOnlyFailure(
      "master key", "this is another key", remedy: "UPMC_MASTER_KEY")
  }

  @Test func `no master key`() throws {
    let world = try MaintenanceWorld()
    world.findings(["UPMC_MASTER_KEY": ""]).expectOnlyFailure(
      "master key", "UPMC_MASTER_KEY is not set", remedy: "every node")
  }

  @Test func `a push certificate that ended`() throws {
    let world = try MaintenanceWorld()
    let now = SystemClock().wallTime.seconds
    let identity = try CertificateAuthority().issuePushClient(
      bundleID: MaintenanceWorld.appID, topics: [(MaintenanceWorld.appID, "app")], notBefore: now - 400 * 86_400,
      notAfter: now - 3 * 86_400)
    // Nobody may store one that has ended: it ended since.
    let sealed = world.master.seal(
      Array(identity.pem.utf8), for: "credential \(try appNumber(world)) apns")
    try world.connection.run(
      Secrets.save(
        Secrets.Credential(
          app: try appNumber(world), network: .apns, kind: Administration.apnsCertificateKind, publicPart: "{}",
          sealed: sealed)))
    world.findings().expectOnlyFailure("APNS credential", "ended 3 days ago", remedy: ".p8 key")
  }

  // MARK: Networks

  @Test func `an APNs that cannot be reached`() throws {
    let world = try MaintenanceWorld()
    world.findings(["UPMC_APNS_PRODUCTION_URL": "https://127.0.0.1:\(Self.deadPort)"]).expectOnlyFailure(
      "APNS", "cannot be reached", remedy: "firewall")
  }

  @Test func `Apple's sandbox out of reach is a failure for those who have devices there`() throws {
    let world = try MaintenanceWorld()
    let change = ["UPMC_APNS_SANDBOX_URL": "https://127.0.0.1:\(Self.deadPort)"]
    let found = world.findings(change)
    #expect(found.failures.isEmpty, "\(found.failures)")
    #expect(found.contains { $0.subject == "APNS" && $0.severity == .warning && $0.what.contains("cannot be reached") })
    try world.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at) SELECT gen_random_uuid(), app, 'ukim', 1, 2, 1, 'ab', 'd', now(), now(), now() FROM apps
      """)
    world.findings(change).expectOnlyFailure("APNS", "cannot be reached", remedy: "firewall")
  }

  @Test func `history that is held back, partitions that are gone, and events that nobody takes`() throws {
    let world = try MaintenanceWorld()
    try world.connection.script(
      """
      SELECT add_seqno_range(1000000);
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at)
      SELECT n, app, 3, 1, '{}', '', 0, now() - interval '100 days', now() FROM apps, unnest(ARRAY[7, 1000001]) n;
      INSERT INTO webhooks (app, url, sealed, kinds, created_at) SELECT app, 'https://a', '', '{sms.requested}', now() FROM apps;
      INSERT INTO events (app, event_kind, at, data)
      SELECT app, 'sms.requested', now() - interval '1 hour', '{}' FROM apps, generate_series(1, 2);
      INSERT INTO event_deliveries (event, webhook, state, due_at) SELECT event, 1, (event - 1) * 2, now() FROM events;
      UPDATE seqno_ranges SET closed_at = now() - interval '30 hours' WHERE from_seqno = 1000001;
      """)
    let found = world.findings()
    for (subject, words) in [
      ("history", "message 7 is not over"), ("history", "to be dropped 30 hours ago"),
      ("webhooks", "1 events were given up"),
      ("webhooks", "waits since 36"),
    ] {
      #expect(found.contains { $0.subject == subject && $0.what.contains(words) }, "\(subject) \(words): \(found)")
    }
    try world.connection.script("DROP TABLE row_receipts_1")
    world.findings().expectOnlyFailure("partitions", "row_receipts_1", remedy: "backup")
  }

  @Test func `an APNs whose certificate nobody here trusts`() throws {
    let world = try MaintenanceWorld()
    world.findings(["UPMC_CA_FILE": ""]).expectOnlyFailure("APNS", "certificate", remedy: "UPMC_CA_FILE")
  }

  @Test func `a key that Apple does not know`() throws {
    let world = try MaintenanceWorld()
    try world.setKey(P256.PrivateKey().pem)
    world.findings().expectOnlyFailure("APNS", "InvalidProviderToken", remedy: "team id")
  }

  @Test func `a clock that is two hours off`() throws {
    let world = try MaintenanceWorld()
    try world.setServiceAccount()
    // The longer the database takes to answer, the less its answer says of the time.
    let found = try poll("the difference is not known") { () -> [Finding]? in
      let found = world.findings(clock: ShiftedClock(seconds: 7_200))
      let isKnown = found.failures.contains { $0.subject == "clock" && $0.what.contains("7200 s ahead") }
      return isKnown ? found : nil
    }
    #expect(found.contains { $0.subject == "clock" && $0.place == "FCM" && $0.severity == .failure }, "\(found)")
    // The provider token that it has minted for all nodes bears the database's time.
    #expect(found.contains { $0.subject == "APNS" && $0.severity == .ok }, "\(found)")
  }

  @Test(arguments: [(Int64(2), Finding.Severity.warning), (-29, .warning), (31, .failure), (-31, .failure)])
  func `a clock that is a little off is a warning, and one with which nothing is sent a failure`(
    seconds: Int64, severity: Finding.Severity
  ) throws {
    let world = try MaintenanceWorld()
    // The longer the database takes to answer, the less its answer says of the time.
    let clock = try poll("the doctor does not say \(severity)") {
      world.findings(clock: ShiftedClock(seconds: seconds)).first {
        $0.subject == "clock" && $0.what.contains("database") && $0.severity == severity
      }
    }
    #expect(clock.what.contains(seconds > 0 ? "ahead of" : "behind"), "\(clock)")
  }

  @Test(arguments: [
    ("I2", "UPDATE message_totals SET accepted = 2 WHERE seqno = 1"),
    ("I2", "UPDATE messages SET targeted = 7 WHERE seqno = 1"),
    ("I7", "INSERT INTO claims (seqno, node, devices, user_keys) VALUES (1, gen_random_uuid(), '{}', '{}')"),
    (
      "I7",
      """
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key)
      VALUES (1, gen_random_uuid(), now(), now(), 6, 1, 'ukim')
      """
    ),
    ("I1", "DROP INDEX messages_idempotency_key_is_unique"),
    ("I5", "INSERT INTO users (app, user_key, badge) SELECT app, 'ukim', 3 FROM apps"),
  ])
  func `a promise that is broken`(name: String, damage: String) throws {
    let world = try MaintenanceWorld()
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, finished_at)
      SELECT 1, app, 4, 1, '{}', '', 1, now(), now(), now() FROM apps;
      INSERT INTO message_totals (seqno, writer, accepted) VALUES (1, 1, 1);
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      VALUES (1, gen_random_uuid(), now(), 1, 1, 'ukim');
      """)
    #expect(world.findings().failures.isEmpty)
    try world.connection.script(damage)
    world.findings().expectOnlyFailure("invariant \(name)", "broken 1 times", remedy: "report it")
  }

  @Test func `an app that is paused`() throws {
    let world = try MaintenanceWorld()
    try world.connection.script("UPDATE apps SET paused_reason = 'too many refused tokens'")
    world.findings().expectOnlyFailure("app", "too many refused tokens", remedy: "upmc app resume")
  }

  // MARK: Parts

  private func appNumber(_ world: MaintenanceWorld) throws -> App.Number {
    try #require(try world.connection.run(Apps.find(appID: MaintenanceWorld.appID))).app.number
  }

  /// A port that nobody listens on, and that nobody gets who asks for any.
  private static let deadPort: UInt16 = 9
}
