internal import FoundationEssentials
internal import Postgres
internal import Reactor
internal import Store

/// Backs up the whole database to one file, as a consistent snapshot, while the server is running.
package enum Backup {
  private static let options = [
    "--format=custom", "--no-password", "--no-unlogged-table-data", "--exclude-table-data=nodes",
  ]

  /// Writes the backup to standard output, for piping into a program that encrypts or transfers it.
  package static func stream(_ url: String) throws {
    let dump = try PostgresProgram("pg_dump")
    try refuseUnfinished(url)
    try dump.stream(options, on: url)
  }

  /// Writes the backup to a file, readable only by its owner, which appears when it is complete.
  /// - Parameter file: path of a file that does not exist yet.
  /// - Returns: the file's size in bytes.
  package static func take(_ file: String, of url: String) throws -> Int64 {
    guard !FileManager.default.fileExists(atPath: file) else {
      throw CareError("\(file) is there already. Name another file, or move it away: nothing was written.")
    }
    let dump = try PostgresProgram("pg_dump")
    try refuseUnfinished(url)
    let part = file + ".part"
    try? FileManager.default.removeItem(atPath: part)
    // Create it empty with its final permissions, so that no other user can ever read it.
    guard (try? PrivateFile.create(part, [])) == true else {
      throw CareError("\(part) cannot be written: name a file in a directory that this user may write to.")
    }
    do {
      try dump.run(options + ["--file=\(part)"], on: url)
      try FileManager.default.moveItem(atPath: part, toPath: file)
    } catch {
      try? FileManager.default.removeItem(atPath: part)
      throw error
    }
    return Int64(FileStatus(file)?.bytes ?? 0)
  }

  private static func refuseUnfinished(_ url: String) throws {
    guard try !Connection(url).run(Restoration.isUnfinished()) else {
      throw CareError("This database is in the middle of being restored: end that first (`upmc restore`).")
    }
  }
}
