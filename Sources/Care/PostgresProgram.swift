internal import FoundationEssentials
internal import Postgres
internal import Reactor

/// One of PostgreSQL's own programs, run on our database.
struct PostgresProgram {
  private let path: String

  /// - Throws: when it is not installed, where it was looked for.
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

  /// The newest version first: it reads databases and backups of all older ones. Then what `PATH` names.
  private static var places: [String] {
    let debian = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []).compactMap { Int($0) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return versions.sorted(by: >).map { "\(debian)/\($0)/bin" } + path.split(separator: ":").map(String.init)
  }

  /// Runs it to its end. The way to the database goes by its environment, where no list of processes shows a password.
  /// - Throws: with what it said, when it was not content.
  func run(_ arguments: [String], on url: String) throws {
    let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
    let environment = inherited.map { "\($0.key)=\($0.value)" } + (try Connection.environment(of: url))
    let report = try ChildProcess.run(
      [path] + arguments, environment: environment, withErrors: true, atMost: Self.patience)
    guard !report.succeeded else { return }
    let words = report.text.split(separator: "\n").suffix(3).joined(separator: " ")
    throw CareError("\(path) failed: \(words.isEmpty ? "\(report.ending)" : words)")
  }

  /// A database of terabytes takes hours.
  private static let patience: Duration = .seconds(7 * 86_400)
}

/// Why it was not done, in a sentence that says what to do.
package struct CareError: Error, CustomStringConvertible, Sendable {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
