package import Postgres
import Synchronization

/// A database of its own for one test or suite, in the shared cluster.
package struct TestDatabase: Sendable {
  package let name: String
  package let url: String

  /// A database without any table.
  package static func makeEmpty() throws -> TestDatabase {
    try copy(of: "template0")
  }

  /// Opens a blocking connection.
  package func connect(options: ConnectionOptions = ConnectionOptions()) throws -> Connection {
    try Connection(url, options: options)
  }

  static func copy(of template: String) throws -> TestDatabase {
    let name = "test_\(number.add(1, ordering: .relaxed).newValue)"
    let administrator = try Connection(TestCluster.shared.url(database: "postgres"))
    try administrator.script("CREATE DATABASE \(name) TEMPLATE \(template)")
    return TestDatabase(name: name, url: TestCluster.shared.url(database: name))
  }

  private static let number = Atomic(0)
}
