package import Postgres

/// The check of a database before its migration, so that the migration does not fail half-way.
extension Migrator {
  /// Returns why the pending migrations cannot run in this database; nil if they can, or if none are pending. Objects
  /// to a server that is too old, to an encoding other than UTF-8 and, before the first migration, to tables or views
  /// that have the names of our tables. Throws what `pending` throws.
  package func objection(to connection: Connection) throws(MigratorError) -> MigratorError? {
    let pending = try pending(connection)
    guard !pending.isEmpty else { return nil }
    if let objection = Self.objection(toServer: connection.serverVersion) { return objection }
    do throws(PostgresError) {
      let encoding = try connection.run(Self.encoding).decodeOne { $0.text() }
      guard encoding == "UTF8" else { return .wrongEncoding(encoding) }
      guard pending.count == migrations.count else { return nil }
      let present = try connection.run(Self.relations)
      let names = Set(present.decode { $0.text() })
      let taken = pending.flatMap(\.tables).filter(names.contains).sorted()
      return taken.isEmpty ? nil : .foreignTables(taken)
    } catch {
      throw .database(error)
    }
  }

  /// Returns the objection to a server of this version (`server_version_num`; 0 while it is unknown, because the
  /// connection was lost); nil if there is none.
  static func objection(toServer version: Int32) -> MigratorError? {
    version > 0 && version < ServerVersion.oldestNumber ? .oldServer(version) : nil
  }

  private static let encoding = Statement("migrator_encoding", "SELECT current_setting('server_encoding')")
  private static let relations = Statement(
    "migrator_relations",
    """
    SELECT relname::text FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
    """)
}

extension Migration {
  /// Names of the tables that the migration creates.
  fileprivate var tables: [String] {
    sql.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("CREATE TABLE ") else { return nil }
      return line.dropFirst("CREATE TABLE ".count).split { $0 == " " || $0 == "(" }.first.map(String.init)
    }
  }
}
