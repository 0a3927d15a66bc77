internal import CLibPQ

/// A libpq URL (or keyword string) parsed into its settings, so that its hosts can be tried in a different order.
///
/// libpq tries the hosts of a URL in turn, but its non-blocking interface has no timeout, so one host that accepts
/// connections and never responds would hide the others for ever. Each new attempt therefore starts at the next host.
struct ConnectionTarget: Sendable, CustomStringConvertible {
  /// The settings in the URL, by libpq keyword (`PQconninfoParse`).
  private var given: [String: String]
  private let applicationName: String

  init(_ url: String, options: ConnectionOptions) throws(PostgresError) {
    var message: UnsafeMutablePointer<CChar>?
    guard let list = unsafe PQconninfoParse(url, &message) else {
      defer { unsafe PQfreemem(message) }
      let reason = unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"
      throw PostgresError(origin: .refusal, message: "not a PostgreSQL URL: \(Self.withoutSecrets(reason))")
    }
    defer { unsafe PQconninfoFree(list) }
    var given: [String: String] = [:]
    var option = unsafe list
    // Safe: libpq terminates the list with an entry that has no keyword.
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe given[String(cString: keyword)] = String(cString: value) }
      unsafe option += 1
    }
    self.given = given
    applicationName = options.applicationName
  }

  /// Returns the parser's message if it only names an unknown option; otherwise a fixed text, because other messages
  /// quote a part of the URL, and that part may be the password.
  private static func withoutSecrets(_ reason: String) -> String {
    let line = reason.prefix { $0 != "\n" }
    let isHarmless = ["invalid URI query parameter: ", "invalid connection option "].contains { line.hasPrefix($0) }
    return isHarmless
      ? String(line)
      : "it cannot be read; in names and passwords, write % as %25, and each of : / ? # @ as % and its code"
  }

  /// Number of hosts in the URL, by name or address; at least 1.
  var hostCount: Int {
    max(items("host").count, items("hostaddr").count, 1)
  }

  var databaseName: String { given["dbname"] ?? given["user"] ?? "" }

  /// The settings as environment variables for libpq (PostgreSQL documentation, 34.15), in no particular order. All
  /// settings that are not listed here, such as `application_name`, are left out.
  var environment: [String] {
    let names = [
      "dbname": "PGDATABASE", "sslmode": "PGSSLMODE", "target_session_attrs": "PGTARGETSESSIONATTRS",
      "channel_binding": "PGCHANNELBINDING", "connect_timeout": "PGCONNECT_TIMEOUT", "gssencmode": "PGGSSENCMODE",
    ]
    let same = [
      "host", "hostaddr", "port", "user", "password", "passfile", "options", "sslcert", "sslkey", "sslrootcert",
      "sslcrl",
      "requirepeer",
    ]
    return given.compactMap { keyword, value in
      let name = names[keyword] ?? (same.contains(keyword) ? "PG" + keyword.uppercased() : nil)
      return name.map { "\($0)=\(value)" }
    }
  }

  /// True if the URL requires a server that accepts writes.
  var wantsPrimary: Bool {
    ["read-write", "primary"].contains(given["target_session_attrs"] ?? "")
  }

  /// Hosts, ports and database name, without the password: `host:port,host:port/name`. Parts that the URL does not
  /// contain are left out.
  var description: String {
    let hosts = items("host").isEmpty ? items("hostaddr") : items("host")
    let ports = items("port")
    let places = hosts.enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
      return port.isEmpty ? host : "\(host):\(port)"
    }
    return "\(places.joined(separator: ","))/\(given["dbname"] ?? "")"
  }

  /// Returns the settings to pass to libpq for connection attempt number `attempt`, from 0. The hosts are rotated by
  /// this number, so that each attempt begins at the next host. Later entries override earlier ones.
  func keywords(attempt: Int) -> [(String, String)] {
    var keywords: [(String, String)] = [
      ("fallback_application_name", applicationName),
      // TCP keepalive settings: without them, detecting a vanished peer takes the kernel 15 minutes or more.
      ("keepalives_idle", "\(Postgres.Limits.keepAliveIdleSeconds)"),
      ("keepalives_interval", "\(Postgres.Limits.keepAliveIntervalSeconds)"),
      ("keepalives_count", "\(Postgres.Limits.keepAliveProbes)"),
      ("tcp_user_timeout", "\(Postgres.Limits.unacknowledgedMilliseconds)"),
    ]
    keywords += given.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    for name in ["host", "hostaddr", "port"] where items(name).count > 1 {
      keywords.append((name, rotated(items(name), by: attempt).joined(separator: ",")))
    }
    keywords.append(("client_encoding", "UTF8"))
    return keywords
  }

  /// Returns the settings for one of the hosts only, whether it accepts writes or not.
  func only(_ host: ConnectedHost) -> ConnectionTarget {
    var copy = self
    copy.given["host"] = host.name
    copy.given["hostaddr"] = host.address.isEmpty ? nil : host.address
    copy.given["port"] = host.port
    copy.given["target_session_attrs"] = "any"
    return copy
  }

  private func items(_ keyword: String) -> [String] {
    guard let value = given[keyword] else { return [] }
    return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  private func rotated(_ items: [String], by places: Int) -> [String] {
    let shift = places % items.count
    return Array(items[shift...] + items[..<shift])
  }
}

/// The host that a session is connected to.
struct ConnectedHost: Sendable {
  /// The name or address in the URL, or the directory of a Unix socket.
  let name: String
  /// The numeric address; empty for a Unix socket.
  let address: String
  let port: String
}
