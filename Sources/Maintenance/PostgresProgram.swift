internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Reactor

/// A PostgreSQL client program such as `pg_dump`, run on UPMC's database.
struct PostgresProgram {
  let path: String

  /// Finds an installed PostgreSQL program.
  /// - Throws: if the program is not installed; the error names the directories searched.
  init(_ name: String) throws(CareError) {
    let places = Self.places
    let found = places.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else {
      throw CareError(
        "\(name) was not found in \(places.joined(separator: ", ")). Install PostgreSQL's client programs "
          + "(Debian: postgresql-client), of the database's version or newer.")
    }
    path = found
  }

  /// Directories to search: the newest version first, which can read databases and backups of all older ones; then
  /// those in `PATH`.
  private static var places: [String] {
    let debian = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []).compactMap { Int($0) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return versions.sorted(by: >).map { "\(debian)/\($0)/bin" } + path.split(separator: ":").map(String.init)
  }

  /// Runs the program until it ends.
  /// - Throws: an error with the program's output if it fails; `Interruption` if a signal stops this process meanwhile.
  func run(_ arguments: [String], on url: String) throws {
    let report: ChildProcess.Report
    do {
      report = try ChildProcess.run(
        [path] + arguments, environment: try Self.environment(url), withErrors: true, atMost: Self.timeout,
        unless: { Self.isStopped })
    } catch let error as SystemError where error.code == ECANCELED {
      throw Interruption(program: path)
    }
    guard !report.succeeded else { return }
    let words = report.text.split(separator: "\n").suffix(3).joined(separator: " ")
    throw CareError("\(path) failed: \(words.isEmpty ? "\(report.ending)" : words)")
  }

  /// Runs the program until it ends, with this process's standard output and error.
  /// - Throws: an error if it fails; `Interruption` if a signal stops this process meanwhile.
  func stream(_ arguments: [String], on url: String) throws {
    var child = try ChildProcess.start([path] + arguments, environment: try Self.environment(url))
    let deadline = SystemClock().now + Self.timeout
    var ending: ChildProcess.Ending?
    while ending == nil, SystemClock().now < deadline {
      if Self.isStopped { throw Interruption(program: path) }
      ending = child.wait(atMost: Self.lookInterval)
    }
    guard ending == .exited(0) else {
      throw CareError("\(path) failed, as it says above: what it has written is no whole backup.")
    }
  }

  /// Returns the program's major version, for example 15.
  func version() throws -> Int {
    let report = try ChildProcess.run([path, "--version"], withErrors: true, atMost: .seconds(30))
    guard let version = Self.version(in: report.text) else {
      throw CareError("\(path) does not tell its version: \(report.text.prefix(80))")
    }
    return version
  }

  /// Extracts the major version from, for example, `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
  static func version(in words: String) -> Int? {
    let name = "(PostgreSQL) "
    guard let place = words.firstRange(of: name) else { return nil }
    return Int(words[place.upperBound...].prefix { $0.isASCII && $0.isNumber })
  }

  /// Returns the program's environment with the connection settings, because arguments, and with them a password, are
  /// visible in process lists. As for the server's own connections, `PG…` variables and a password file supply what the
  /// URL leaves open.
  private static func environment(_ url: String) throws -> [String] {
    var variables = ProcessInfo.processInfo.environment
    let given = try Connection.environment(of: url).map { $0.split(separator: "=", maxSplits: 1) }
    // A connection service could override the URL's host, so remove it.
    if given.contains(where: { $0[0] == "PGHOST" }) { variables["PGSERVICE"] = nil }
    for entry in given { variables[String(entry[0])] = entry.count > 1 ? String(entry[1]) : "" }
    return variables.map { "\($0.key)=\($0.value)" }
  }

  /// True if SIGTERM or SIGINT has arrived since the last look. A lost terminal (SIGHUP) does not end a backup.
  private static var isStopped: Bool { Signals.wait(atMost: .zero) == .stop }
  private static let lookInterval: Duration = .milliseconds(250)

  /// Timeout of a program: a week, because a database of terabytes takes hours.
  private static let timeout: Duration = .seconds(7 * 86_400)
}

/// Error: a signal stopped this process while a PostgreSQL program was running. The program has been killed, because
/// nothing else would end it.
struct Interruption: Error, CustomStringConvertible {
  let program: String

  var description: String {
    "A signal has stopped \(program): what it has written is not whole. Run the command again."
  }
}

/// Why a task has failed and how to correct it.
package struct CareError: Error, CustomStringConvertible, Sendable {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
