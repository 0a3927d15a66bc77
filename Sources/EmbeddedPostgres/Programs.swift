/// PostgreSQL's programs on this machine.
struct Programs {
  /// English messages, whatever the caller's locale, so that errors can be recognized.
  static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]

  let directory: String

  var initdb: String { "\(directory)/initdb" }
  var postgres: String { "\(directory)/postgres" }

  /// - Parameters:
  ///   - configured: the directory to use; no other is tried.
  ///   - version: major version of the cluster, which only the same version can run; nil for a new one.
  init(configured: String?, version: String?) throws(EmbeddedPostgresError) {
    let looked = configured.map { [$0] } ?? Self.places(version: version)
    let found = looked.first {
      Files.exists("\($0)/initdb") && Files.exists("\($0)/postgres")
    }
    guard let found else { throw .programsNotFound(version: version, looked: looked) }
    directory = found
  }

  /// The distributions' directories: by version on Debian and Red Hat, without it on others.
  private static func places(version: String?) -> [String] {
    let debian = "/usr/lib/postgresql"
    guard version == nil else { return ["\(debian)/\(version!)/bin", "/usr/pgsql-\(version!)/bin", "/usr/bin"] }
    let newestFirst = Files.names(in: debian).compactMap { Int($0) }.sorted(by: >)
    let redHat = (13...20).reversed().map { "/usr/pgsql-\($0)/bin" }.filter(Files.isDirectory)
    return newestFirst.map { "\(debian)/\($0)/bin" } + redHat + ["\(debian)/*/bin", "/usr/bin", "/usr/local/bin"]
  }
}
