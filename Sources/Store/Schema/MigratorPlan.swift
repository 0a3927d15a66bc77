/// The comparison of the migrations recorded in a database with the files, without any I/O.
enum MigratorPlan {
  /// One row of `upmc_migrations`.
  struct Applied: Equatable {
    let version: Int
    let name: String
    let sha256: [UInt8]
    /// The `oldest-program` that the file declared when it was run; nil if it declared none.
    var oldestProgram: Int?
  }

  /// Returns the files that have yet to run, in order; empty if the database is up to date, or newer than this program
  /// but compatible with it.
  /// - Parameters:
  ///   - migrations: numbered from 1 without gaps.
  ///   - applied: ordered by version.
  /// - Throws: `.schemaNewerThanProgram` if a newer migration does not permit this program; `.recordMissing`,
  ///   `.renamed` or `.changed` if the records do not match the files.
  static func pending(_ migrations: [Migration], applied: [Applied]) throws(MigratorError) -> [Migration] {
    let newer = applied.filter { $0.version > migrations.count }
    // A newer migration that this program is too old for: nothing is touched.
    if let newest = newer.last, newer.contains(where: { $0.oldestProgram ?? .max > migrations.count }) {
      throw .schemaNewerThanProgram(newest.version, newest.name, known: migrations.count)
    }
    let known = applied.prefix(applied.count - newer.count)
    if !newer.isEmpty, known.count < migrations.count { throw .recordMissing(firstMissing(migrations, known)) }
    for (index, row) in known.enumerated() {
      let migration = migrations[index]
      if row.version != migration.version { throw .recordMissing(migration) }
      if row.name != migration.name { throw .renamed(migration, recorded: row.name) }
      if row.sha256 != migration.sha256 { throw .changed(migration) }
    }
    return Array(migrations.dropFirst(known.count))
  }

  private static func firstMissing(_ migrations: [Migration], _ known: ArraySlice<Applied>) -> Migration {
    let versions = Set(known.map(\.version))
    return migrations.first { !versions.contains($0.version) } ?? migrations[known.count]
  }
}
