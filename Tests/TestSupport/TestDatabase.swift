package import Postgres
import Store
import Synchronization

/// A database of its own for one test or suite, in the shared cluster.
package struct TestDatabase: Sendable {
  package let name: String
  package let url: String

  /// A database with the schema of `Migrations/`: a copy of a template that is migrated once per test process.
  package static func make() throws -> TestDatabase {
    try copy(of: template.get())
  }

  /// A database without any table.
  package static func makeEmpty() throws -> TestDatabase {
    try copy(of: "template0")
  }

  /// Opens a blocking connection. With the default options a test may hold a transaction open for an hour. The
  /// product's limit of ten seconds would end it, and release its locks, in the middle of a test on a busy machine.
  package func connect(options: ConnectionOptions = TestDatabase.patientOptions) throws -> Connection {
    try Connection(url, options: options)
  }

  /// Opens a blocking connection to a database of the tests, with `patientOptions`.
  package static func connect(to url: String) throws(PostgresError) -> Connection {
    try Connection(url, options: patientOptions)
  }

  /// The options of a connection that a test opens: connecting and idle transactions have time.
  package static var patientOptions: ConnectionOptions {
    var options = ConnectionOptions()
    options.connectTimeout = .patience
    options.idleInTransactionTimeout = .seconds(3_600)
    return options
  }

  /// `Migrations/` of this source tree.
  package static let migrationsDirectory: String = {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    return root + "/Migrations"
  }()

  /// Migrated by the first who asks; nobody is connected to it afterwards, so it can be copied.
  private static let template = Result {
    let template = try copy(of: "template0", name: templateName)
    try Migrator(directory: migrationsDirectory).migrate(template.connect())
    return template.name
  }

  private static func copy(of template: String, name: String? = nil) throws -> TestDatabase {
    let name = name ?? "test_\(number.add(1, ordering: .relaxed).newValue)"
    try administrator.withLock { (connection) throws in
      if connection == nil { connection = try connect(to: TestCluster.shared.url(database: "postgres")) }
      // The session that has migrated the template may still be ending. Nothing here is written to a disk, so the two
      // checkpoints of a copy by files are cheaper than a log of every page. The copy also includes the list of
      // catalogs that the first session of a database otherwise makes.
      try connection?.insist(on: "CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY FILE_COPY")
    }
    let database = TestDatabase(name: name, url: TestCluster.shared.url(database: name))
    // Not in the template: a process of the extension stays connected to its database, which can then not be copied.
    if PostgresBinaries.citus != nil, name != templateName { try database.connect().script("CREATE EXTENSION citus") }
    return database
  }

  /// Creates all databases: beginning a session of PostgreSQL takes a quarter as long as creating a database.
  private static let administrator = Mutex<Connection?>(nil)
  private static let templateName = "upmc_template"
  private static let number = Atomic(0)
}
