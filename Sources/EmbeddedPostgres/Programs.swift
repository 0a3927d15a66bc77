internal import Postgres

/// Locates PostgreSQL's programs on this machine.
struct Programs {
  /// The environment of the programs. Messages are in English, whatever the caller's locale, so that errors can be
  /// recognized.
  static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]

  let directory: String

  var initdb: String { "\(directory)/initdb" }
  var postgres: String { "\(directory)/postgres" }

  /// Finds the directory of the programs.
  /// - Parameters:
  ///   - configured: the only directory to consider; nil for the usual ones.
  ///   - version: major version of an existing cluster, which only the same version can run; nil for a new one.
  init(configured: String?, version: String?) throws(EmbeddedPostgresError) {
    let looked = configured.map { [$0] } ?? Self.places(version: version)
    let found = looked.first {
      Files.exists("\($0)/initdb") && Files.exists("\($0)/postgres")
    }
    guard let found else { throw .programsNotFound(version: version, looked: looked) }
    directory = found
  }

  /// Returns the directories used by Linux distributions, with the version in the path (Debian, Red Hat) or without.
  /// For a new cluster, leaves out the versions that are too old: such a cluster could never be used.
  private static func places(version: String?) -> [String] {
    let debian = "/usr/lib/postgresql"
    guard version == nil else { return ["\(debian)/\(version!)/bin", "/usr/pgsql-\(version!)/bin", "/usr/bin"] }
    let newestFirst = Files.names(in: debian).compactMap { Int($0) }
      .filter { $0 >= ServerVersion.oldestMajor }.sorted(by: >)
    let redHat = (ServerVersion.oldestMajor...20).reversed().map { "/usr/pgsql-\($0)/bin" }.filter(Files.isDirectory)
    return newestFirst.map { "\(debian)/\($0)/bin" } + redHat + ["\(debian)/*/bin", "/usr/bin", "/usr/local/bin"]
  }
}
