/// The check of `upmc doctor` for backups: whether this machine's `pg_dump` can back up the database.
enum BackupChecks {
  /// Returns a finding if the installed `pg_dump` cannot back up the database's server; nil if it can.
  /// - Parameter server: the server's version number, for example 150018.
  static func finding(server: Int64) -> Finding? {
    do {
      let program = try PostgresProgram("pg_dump")
      return finding(program: try program.version(), path: program.path, server: server)
    } catch {
      return .warning("backup", "pg_dump", "\(error)", remedy: "Without it `upmc backup` cannot work on this machine.")
    }
  }

  static func finding(program: Int, path: String, server: Int64) -> Finding {
    let version = server / 10_000
    guard program < version else {
      return .ok("backup", path, "version \(program) reads the database's PostgreSQL \(version)")
    }
    return .warning(
      "backup", path, "version \(program) refuses PostgreSQL \(version): `upmc backup` and `restore` cannot work here",
      remedy:
        "Install PostgreSQL's client programs of version \(version) or newer (Debian: postgresql-client-\(version)).")
  }
}
