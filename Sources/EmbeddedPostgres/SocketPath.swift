internal import Postgres
internal import Reactor

/// Chooses the directory of the private database's socket: its path must be short enough for the kernel, and closed to
/// other users.
enum SocketPath {
  /// The name of PostgreSQL's socket for port 5432.
  private static let name = ".s.PGSQL.5432"
  /// The prefix of our socket directories under /tmp.
  private static let temporaryPrefix = "/tmp/upmc-pg-"

  /// Creates the directory beside the cluster, or under /tmp if that path is too long, and returns its path.
  /// - Parameter former: the previous directory, to be reused so that clients find a restarted server at the same path.
  static func makeDirectory(
    _ place: ClusterPlace, former: String? = nil
  ) throws(EmbeddedPostgresError) -> String {
    let beside = "\(place.base)/postgres.socket"
    var directory = fits(beside) ? beside : former ?? temporaryPrefix + randomName()
    // Under /tmp, another user may have created a directory of that name meanwhile.
    if directory == former, Files.owner(of: directory) ?? place.account.uid != place.account.uid {
      directory = temporaryPrefix + randomName()
    }
    try Files.makeDirectory(directory, mode: 0o700, for: place.fileOwner)
    // Files left by a killed server. No server runs now, but the process id in the lock file may belong to another
    // process.
    for file in ["\(directory)/\(name)", "\(directory)/\(name).lock"] { try Files.remove(file) }
    return directory
  }

  /// Returns the connection URL.
  static func url(_ directory: String, database: String) -> String {
    let host = directory.utf8.map { byte in
      let isPlain = byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      let isLetter = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      return isPlain || isLetter ? String(Unicode.Scalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
    }
    // The port is part of the socket's name; without it, PGPORT from the environment would apply.
    return "postgresql://\(Cluster.role)@/\(database)?host=\(host.joined())&port=5432"
  }

  /// Quotes a directory as one entry of the list setting `unix_socket_directories`.
  static func quoted(_ directory: String) -> String {
    "\"" + directory.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// Returns true if a server listens on the socket in this directory.
  static func answers(_ directory: String) -> Bool {
    guard let address = try? SocketAddress.unix(path: "\(directory)/\(name)") else { return false }
    return (try? Socket.connect(to: address)) != nil
  }

  /// Returns true if the kernel and libpq accept the path of a socket in this directory; libpq separates hosts by
  /// commas.
  static func fits(_ directory: String) -> Bool {
    "\(directory)/\(name)".utf8.count <= Limits.socketPathBytes && !directory.contains(",")
  }

  /// Removes a directory under /tmp left by a server that has ended.
  static func removeLeftover(_ directory: String?) {
    guard let directory, directory.hasPrefix(temporaryPrefix) else { return }
    try? Files.remove(directory)
  }

  /// Returns a name of 64 random bits, so that nobody can have created this directory before.
  private static func randomName() -> String {
    String(UInt64.random(in: 0...UInt64.max), radix: 36)
  }
}
