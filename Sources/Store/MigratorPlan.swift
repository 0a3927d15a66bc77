/// Holds what a database has recorded against the files. Pure.
enum MigratorPlan {
  /// One row of `upmc_migrations`.
  struct Applied: Equatable {
    let version: Int
    let name: String
    let sha256: [UInt8]
  }

  /// The files that have yet to run.
  /// - Parameters:
  ///   - migrations: numbered from 1 without gaps.
  ///   - applied: by version.
  static func pending(_ migrations: [Migration], applied: [Applied]) throws(MigratorError) -> [Migration] {
    if let newest = applied.last, newest.version > migrations.count {
      throw .schemaNewerThanProgram(newest.version, newest.name, known: migrations.count)
    }
    for (index, row) in applied.enumerated() {
      let migration = migrations[index]
      if row.version != migration.version { throw .recordMissing(migration) }
      if row.name != migration.name { throw .renamed(migration, recorded: row.name) }
      if row.sha256 != migration.sha256 { throw .changed(migration) }
    }
    return Array(migrations.dropFirst(applied.count))
  }
}
