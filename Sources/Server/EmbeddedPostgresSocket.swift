/// The directory of the private database's socket: short enough for the kernel, closed to everybody else.
enum EmbeddedPostgresSocket {
  /// What PostgreSQL calls the socket of port 5432.
  private static let name = ".s.PGSQL.5432"
  private static let temporaryPrefix = "/tmp/upmc-pg-"

  /// Makes it beside the cluster or, where that path is too long, under /tmp.
  static func makeDirectory(_ place: EmbeddedPostgresPlace) throws(EmbeddedPostgresError) -> String {
    let beside = "\(place.base)/postgres.socket"
    let directory = fits(beside) ? beside : temporaryPrefix + randomName()
    try EmbeddedPostgresFiles.makeDirectory(directory, mode: 0o700, for: place.fileOwner)
    return directory
  }

  /// Whether a socket in this directory has a path that the kernel takes.
  static func fits(_ directory: String) -> Bool {
    "\(directory)/\(name)".utf8.count <= EmbeddedPostgres.Limits.socketPathBytes
  }

  /// Removes a directory under /tmp that a server which has ended left behind.
  static func removeLeftover(_ directory: String?) {
    guard let directory, directory.hasPrefix(temporaryPrefix) else { return }
    try? EmbeddedPostgresFiles.remove(directory)
  }

  /// 64 random bits: nobody can have made a directory of this name before us.
  private static func randomName() -> String {
    String(UInt64.random(in: 0...UInt64.max), radix: 36)
  }
}
