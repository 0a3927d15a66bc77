internal import FoundationEssentials
internal import Postgres
internal import Reactor
internal import Store

/// Takes a copy of the whole database into one file, as of one instant, beside a running server.
package enum Backup {
  private static let options = [
    "--format=custom", "--no-password", "--no-unlogged-table-data", "--exclude-table-data=nodes",
  ]

  /// Writes it to standard output, for a program that encrypts it or carries it away.
  package static func stream(_ url: String) throws {
    let dump = try PostgresProgram("pg_dump")
    try refuseUnfinished(url)
    try dump.stream(options, on: url)
  }

  /// - Parameters:
  ///   - file: must not be there yet; appears when it is complete, readable by its owner only.
  /// - Returns: its size in bytes.
  package static func take(_ file: String, of url: String) throws -> Int64 {
    guard !FileManager.default.fileExists(atPath: file) else {
      throw CareError("\(file) is there already. Name another file, or move it away: nothing was written.")
    }
    let dump = try PostgresProgram("pg_dump")
    try refuseUnfinished(url)
    let part = file + ".part"
    try? FileManager.default.removeItem(atPath: part)
    // Made before anything is in it: nobody else may read it for a moment.
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
