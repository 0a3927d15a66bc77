internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Metrics
internal import Operations
internal import PushTransport
internal import Reactor
internal import Store
internal import Time

/// Registers the metrics that are computed for each scrape: those of the process, and those from `Health`.
enum NodeMetrics {
  static func register(
    _ metrics: Metrics, _ readiness: NodeReadiness, _ catalog: Catalog, underWay: @escaping @Sendable () -> Int
  ) {
    process(metrics)
    database(metrics, readiness.health)
    messages(metrics, readiness.health)
    node(metrics, readiness, underWay)
    credentials(metrics, readiness.health, catalog)
  }

  /// Registers what the database's last sample tells of the whole installation.
  private static func database(_ metrics: Metrics, _ health: Health) {
    func gauge(_ name: String, _ help: String, _ value: @escaping @Sendable (Health.Sample) -> Double) {
      metrics.read(name, .gauge, help) { health.sample.map { [(Labels(), value($0))] } ?? [] }
    }
    metrics.read("upmc_database_up", .gauge, "1 when the database answered within the last half minute.") {
      [(Labels(), health.sample == nil ? 0 : 1)]
    }
    gauge("upmc_database_answer_seconds", "The database's last answer to a cheap question.") {
      Double($0.roundTrip.nanoseconds) / 1e9
    }
    gauge("upmc_database_size_bytes", "Size of the database, as of the last minute.") { Double($0.databaseBytes) }
    metrics.read("upmc_build_info", .gauge, "1, with the release as a label.") {
      [(["version": Product.version], 1)]
    }
    gauge("upmc_schema_version", "Number of the newest migration.") { Double($0.snapshot.schemaVersion) }
    gauge("upmc_nodes", "Nodes that are alive on this database.") { Double($0.snapshot.nodes) }
    gauge("upmc_claims", "Claims whose outcomes are not all written, of all nodes.") { Double($0.snapshot.claims) }
    gauge("upmc_overdue_deliveries", "Deliveries that wait although their time came a minute ago.") {
      Double($0.snapshot.overdue)
    }
    gauge("upmc_apps_paused", "Apps that send nothing because of a fault.") { Double($0.snapshot.pausedApps) }
    gauge(
      "upmc_confirmation_log_bytes", "Size of the log of receipts and reads, with what was folded and is not vacuumed."
    ) {
      Double($0.snapshot.confirmationLogBytes)
    }
    gauge("upmc_seqnos_left", "SEQNOs that partitions exist for and that are not used yet.") {
      Double($0.snapshot.seqnosLeft)
    }
    gauge("upmc_history_oldest_seconds", "Age of the oldest message of which it is known who got it.") {
      $0.history.oldestSeconds
    }
    gauge("upmc_history_drop_waiting_seconds", "For how long history has been waiting to be dropped; 0: none is.") {
      $0.history.dropWaitingSeconds
    }
    gauge("upmc_settings_differ", "Settings that affect all nodes and differ between the live ones.") {
      Double($0.differences.count)
    }
    gauge("upmc_events_waiting", "Events that webhooks have not taken yet.") { Double($0.webhooks.waiting) }
    gauge("upmc_events_dead", "Events that were given up, for `upmc webhook replay`.") { Double($0.webhooks.dead) }
    gauge("upmc_events_oldest_seconds", "How long ago the oldest event happened that waits for its webhook.") {
      $0.webhooks.oldestSeconds
    }
    metrics.read(
      "upmc_api_key_expiry_timestamp_seconds", .gauge,
      "When the next API key that is in use ends, in seconds since 1970. It has no sample while none ends."
    ) {
      health.sample?.nextKeyEnd.map { [(Labels(), Double($0.microseconds) / 1e6)] } ?? []
    }
  }

  /// Registers the messages that are not over.
  private static func messages(_ metrics: Metrics, _ health: Health) {
    metrics.read("upmc_messages_waiting", .gauge, "Messages that are not over, by lane and state.") {
      (health.sample?.waiting ?? []).map { (["lane": $0.lane, "state": $0.state], Double($0.count)) }
    }
    metrics.read(
      "upmc_messages_oldest_seconds", .gauge, "How long the oldest message of a lane and state has been due."
    ) {
      (health.sample?.waiting ?? []).map { (["lane": $0.lane, "state": $0.state], max(0, $0.oldestSeconds)) }
    }
  }

  /// Registers what concerns this node alone.
  private static func node(
    _ metrics: Metrics, _ readiness: NodeReadiness, _ underWay: @escaping @Sendable () -> Int
  ) {
    metrics.read("upmc_under_way_devices", .gauge, "Devices claimed by this node whose outcome is open.") {
      [(Labels(), Double(underWay()))]
    }
    metrics.read("upmc_lease_held", .gauge, "1 while this node may claim and send.") {
      [(Labels(), readiness.holdsLease() ? 1 : 0)]
    }
    metrics.read(
      "upmc_clock_ahead_seconds", .gauge, "How far this machine's clock is ahead of the database's; below 0: behind."
    ) { readiness.clock.ahead.map { [(Labels(), Double($0.nanoseconds) / 1e9)] } ?? [] }
    metrics.read(
      "upmc_push_last_accepted_timestamp_seconds", .gauge, "When a push network last took a push of this node."
    ) { readiness.lastAccepted.wallSeconds.map { [(Labels(), Double($0))] } ?? [] }
  }

  private static func credentials(_ metrics: Metrics, _ health: Health, _ catalog: Catalog) {
    @Sendable func labels(_ key: Health.CredentialKey) -> Labels {
      ["app": catalog.app(number: key.app)?.appID ?? "", "network": key.network.pnsID.lowercased()]
    }
    metrics.read("upmc_credential_usable", .gauge, "1 when this node could open the credential.") {
      health.credentials.map { (labels($0.key), $0.value.isUsable ? 1 : 0) }
    }
    metrics.read(
      "upmc_credential_expiry_timestamp_seconds", .gauge, "When a push certificate ends; keys do not end."
    ) {
      health.credentials.compactMap { key, credential in
        credential.endsAt.map { (labels(key), Double($0.seconds)) }
      }
    }
  }

  /// Registers the process metrics, under the names that all Prometheus clients use (`proc(5)`).
  private static func process(_ metrics: Metrics) {
    let started = Double(SystemClock().wallTime.microseconds) / 1e6
    metrics.read("process_start_time_seconds", .gauge, "Start of the server, in seconds since 1970.") {
      [(Labels(), started)]
    }
    metrics.read("process_cpu_seconds_total", .counter, "Processor time used.") {
      // The program's name may contain anything, so fields are counted after its closing parenthesis: the 12th and 13th
      // are the times in user and kernel mode.
      guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
      else { return [] }
      let fields = text[end...].split(separator: " ")
      guard fields.count > 13, let user = Double(fields[12]), let kernel = Double(fields[13]) else { return [] }
      return [(Labels(), (user + kernel) / Double(sysconf(Int32(_SC_CLK_TCK))))]
    }
    metrics.read("process_resident_memory_bytes", .gauge, "Memory held.") {
      guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
        let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
      else { return [] }
      return [(Labels(), pages * Double(sysconf(Int32(_SC_PAGESIZE))))]
    }
    metrics.read("process_open_fds", .gauge, "Open files and sockets.") {
      let count = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      return count.map { [(Labels(), Double($0))] } ?? []
    }
  }
}
