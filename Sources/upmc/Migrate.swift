internal import ArgumentParser
internal import JSON
internal import Operations
internal import Reactor
internal import Server
internal import Store

/// `upmc migrate`: brings the schema of the database up to date.
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring the database's schema up to date.",
    discussion: """
      Runs the migrations that the database has not had yet, each in a transaction of its own. Forward only; safe to run \
      twice, and on several machines at once. The private database is brought up to date by itself.

        upmc migrate --dry-run
        upmc migrate
      """)

  @Flag(help: "Only say what would be run.")
  var dryRun = false

  @OptionGroup var here: LocalOnly
  @OptionGroup var output: OutputOptions

  func run() throws {
    try withDatabase(migrates: false) { database in
      let migrator = try Migrator(
        directory: MigratorFiles.locate(configured: database.configuration.migrationsDirectory))
      try Database.refuseUnfinishedRestore(database.connection)
      if dryRun {
        let pending = try migrator.pending(database.connection)
        if let objection = try migrator.objection(to: database.connection) { throw objection }
        for migration in pending { show(Step(migration, state: "pending")) }
        if pending.isEmpty, !output.json { Output.line("The schema is up to date.") }
        return
      }
      if let url = database.configuration.databaseURL { try Database.refuseTransactionPooler(url) }
      let count = try migrator.migrate(
        database.connection, willWait: { Output.complain("Waiting for another upmc that migrates …") },
        isHeldUp: { Output.complain("\($0.fileName) waits for a lock that another session holds; trying again …") },
        didApply: { migration, duration in
          show(Step(migration, state: "applied", milliseconds: duration.nanoseconds / 1_000_000))
        })
      if count == 0, !output.json { Output.line("The schema is up to date.") }
    }
  }

  private func show(_ step: Step) {
    output.show(step, step.sentence)
  }

  /// One migration, applied or pending.
  private struct Step: JSONAnswer {
    let migration: Migration
    let state: String
    let milliseconds: Int64?

    init(_ migration: Migration, state: String, milliseconds: Int64? = nil) {
      self.migration = migration
      self.state = state
      self.milliseconds = milliseconds
    }

    func write(to writer: inout JSONWriter) {
      writer.member("version", migration.version)
      writer.member("name", migration.name)
      writer.member("state", state)
      if let milliseconds { writer.member("milliseconds", milliseconds) }
    }

    var sentence: String {
      "\(migration.fileName) \(state)" + (milliseconds.map { " in \($0) ms" } ?? "")
    }
  }
}
