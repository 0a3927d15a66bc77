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

  /// Opens a blocking connection. A test may hold a transaction open for as long as it likes, unless it says otherwise:
  /// the ten seconds of the product end in the middle of a test on a busy machine, and its locks with them.
  package func connect(options: ConnectionOptions = TestDatabase.patientOptions) throws -> Connection {
    try Connection(url, options: options)
  }

  /// The options of a connection that holds a transaction open for a test. Making it may take as long as anything else.
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
    let administrator = try Connection(TestCluster.shared.url(database: "postgres"), options: patientOptions)
    try administrator.script("CREATE DATABASE \(name) TEMPLATE \(template)")
    let database = TestDatabase(name: name, url: TestCluster.shared.url(database: name))
    // Not in the template: a process of the extension stays connected to its database, which can then not be copied.
    if PostgresBinaries.citus != nil, name != templateName { try database.connect().script("CREATE EXTENSION citus") }
    return database
  }

  private static let templateName = "upmc_template"
  private static let number = Atomic(0)
}
