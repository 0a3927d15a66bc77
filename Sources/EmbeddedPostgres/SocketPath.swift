internal import Postgres
internal import Reactor

/// The directory of the private database's socket: short enough for the kernel, closed to everybody else.
enum SocketPath {
  /// What PostgreSQL calls the socket of port 5432.
  private static let name = ".s.PGSQL.5432"
  /// Directories of ours outside of any base.
  private static let temporaryPrefix = "/tmp/upmc-pg-"

  /// Makes it beside the cluster or, where that path is too long, under /tmp.
  /// - Parameter former: where it was before, so that a server that is started again is found at the same place.
  static func makeDirectory(
    _ place: ClusterPlace, former: String? = nil
  ) throws(EmbeddedPostgresError) -> String {
    let beside = "\(place.base)/postgres.socket"
    var directory = fits(beside) ? beside : former ?? temporaryPrefix + randomName()
    // Under /tmp anybody may have made a directory of the former name meanwhile.
    if directory == former, Files.owner(of: directory) ?? place.account.uid != place.account.uid {
      directory = temporaryPrefix + randomName()
    }
    try Files.makeDirectory(directory, mode: 0o700, for: place.fileOwner)
    // Left by a server that was killed. No server runs now, but the process that the lock names may be another today.
    for file in ["\(directory)/\(name)", "\(directory)/\(name).lock"] { try Files.remove(file) }
    return directory
  }

  /// Where to connect.
  static func url(_ directory: String, database: String) -> String {
    let host = directory.utf8.map { byte in
      let isPlain = byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      let isLetter = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      return isPlain || isLetter ? String(Unicode.Scalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
    }
    // The port is part of the socket's name; without it PGPORT of the environment would count.
    return "postgresql://\(Cluster.role)@/\(database)?host=\(host.joined())&port=5432"
  }

  /// As one entry of `unix_socket_directories`, which is a list.
  static func quoted(_ directory: String) -> String {
    "\"" + directory.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// Whether anybody listens there.
  static func answers(_ directory: String) -> Bool {
    guard let address = try? SocketAddress.unix(path: "\(directory)/\(name)") else { return false }
    return (try? Socket.connect(to: address)) != nil
  }

  /// Whether a socket in this directory has a path that the kernel takes, and libpq: to it a comma separates hosts.
  static func fits(_ directory: String) -> Bool {
    "\(directory)/\(name)".utf8.count <= Limits.socketPathBytes && !directory.contains(",")
  }

  /// Removes a directory under /tmp that a server which has ended left behind.
  static func removeLeftover(_ directory: String?) {
    guard let directory, directory.hasPrefix(temporaryPrefix) else { return }
    try? Files.remove(directory)
  }

  /// 64 random bits: nobody can have made a directory of this name before us.
  private static func randomName() -> String {
    String(UInt64.random(in: 0...UInt64.max), radix: 36)
  }
}
