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
    let lock = try begin(part)
    defer { lock.unlock() }
    do {
      try dump.run(options + ["--file=\(part)"], on: url)
      try FileManager.default.moveItem(atPath: part, toPath: file)
    } catch {
      try? FileManager.default.removeItem(atPath: part)
      throw error
    }
    return Int64(FileStatus(file)?.bytes ?? 0)
  }

  /// Creates the file that the backup is written to, and locks it until its name is final. Replaces what an interrupted
  /// backup has left, but not what another one is writing at this moment: of two that shared the file, the first would
  /// give the second's half its name.
  private static func begin(_ part: String) throws -> FileLock {
    if FileManager.default.fileExists(atPath: part), let other = try? FileLock(path: part), !other.tryExclusive() {
      throw CareError(
        "Another backup is writing \(part). Wait for it or name another file; remove that one if there is none.")
    }
    try? FileManager.default.removeItem(atPath: part)
    // Create it empty with its final permissions, so that no other user can ever read it.
    guard (try? PrivateFile.create(part, [])) == true, let lock = try? FileLock(path: part) else {
      throw CareError("\(part) cannot be written: name a file in a directory that this user may write to.")
    }
    // Fails only on file systems that have no locks.
    _ = lock.tryExclusive()
    return lock
  }

  private static func refuseUnfinished(_ url: String) throws {
    guard try !Connection(url).run(Restoration.isUnfinished()) else {
      throw CareError("This database is in the middle of being restored: end that first (`upmc restore`).")
    }
  }
}
