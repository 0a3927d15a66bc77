internal import CLibPQ

/// Where to connect: a libpq URL (or keyword string) parsed into its parts, so that hosts can be tried in another
/// order.
///
/// libpq tries the hosts of a URL in turn, but its non-blocking form has no timeout: one host that accepts and then
/// stays silent would hide the others for ever. So each new attempt starts one host later.
struct ConnectionTarget: Sendable, CustomStringConvertible {
  /// The URL's settings, by keyword (`PQconninfoParse`).
  private let given: [String: String]
  private let applicationName: String

  init(_ url: String, options: ConnectionOptions) throws(PostgresError) {
    var message: UnsafeMutablePointer<CChar>?
    guard let list = unsafe PQconninfoParse(url, &message) else {
      defer { unsafe PQfreemem(message) }
      let reason = unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"
      throw PostgresError(origin: .refusal, message: "not a PostgreSQL URL: \(Self.withoutURL(reason, url))")
    }
    defer { unsafe PQconninfoFree(list) }
    var given: [String: String] = [:]
    var option = unsafe list
    // Safe: libpq ends the list with an entry without a keyword.
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe given[String(cString: keyword)] = String(cString: value) }
      unsafe option += 1
    }
    self.given = given
    applicationName = options.applicationName
  }

  /// The parser's message may quote the URL, and with it a password.
  private static func withoutURL(_ reason: String, _ url: String) -> String {
    let line = reason.prefix { $0 != "\n" }
    return line.contains(url) ? "it cannot be read" : String(line)
  }

  /// Number of hosts in the URL, at least 1.
  var hostCount: Int {
    max(items("host").count, items("hostaddr").count, 1)
  }

  var databaseName: String { given["dbname"] ?? given["user"] ?? "" }

  /// As environment variables for libpq (PostgreSQL documentation, 34.15).
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

  /// True if only a server that accepts writes is wanted.
  var wantsPrimary: Bool {
    ["read-write", "primary"].contains(given["target_session_attrs"] ?? "")
  }

  /// Hosts, ports and database, never the password.
  var description: String {
    let hosts = items("host").isEmpty ? items("hostaddr") : items("host")
    let ports = items("port")
    let places = hosts.enumerated().map { index, host in
      let port = ports.count > 1 ? ports[index] : ports.first ?? ""
      return port.isEmpty ? host : "\(host):\(port)"
    }
    return "\(places.joined(separator: ","))/\(given["dbname"] ?? "")"
  }

  /// Keywords passed to libpq for the attempt with this number. Later keywords override earlier ones.
  func keywords(attempt: Int) -> [(String, String)] {
    var keywords: [(String, String)] = [
      ("fallback_application_name", applicationName),
      // Without these we would wait for a vanished peer until the kernel's own limits: 15 minutes and more.
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

  private func items(_ keyword: String) -> [String] {
    guard let value = given[keyword] else { return [] }
    return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  private func rotated(_ items: [String], by places: Int) -> [String] {
    let shift = places % items.count
    return Array(items[shift...] + items[..<shift])
  }
}
