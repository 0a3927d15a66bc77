import Postgres
import TestSupport
import Testing

/// Every statement of the store, as its text stands in the sources, is prepared against the migrated schema: one that
/// names what is not there is found here, and not by whoever runs it first.
@Suite struct StatementTests {
  /// The text alone does not tell the types: nothing is wrong with it.
  private static let unclear: Set<String> = ["42P18", "42725", "42P08"]

  @Test func `every statement can be prepared`() throws {
    let connection = try TestDatabase.make().connect()
    let columns = try StoreStatements.columns(connection)
    let statements = try StoreStatements.all()
    #expect(statements.count > 100, "the sources were not read")
    #expect(Set(statements.map(\.name)).count == statements.count, "two statements share a name")
    var unclear: [String] = []
    for (name, sql) in statements where !StoreStatements.elsewhere.contains(name) {
      let list = StoreStatements.typeList(name, sql, columns)
      do {
        try connection.script("PREPARE \"\(name)\"\(list) AS \(sql)")
      } catch  where Self.unclear.contains(error.sqlState?.description ?? "") {
        unclear.append(name)
      } catch {
        Issue.record("\(name) \(list): \(error.message) (if only a type was guessed wrongly, declare it above)")
      }
    }
    #expect(unclear.count <= 20, "give the types of their parameters above: \(unclear)")
    for name in StoreStatements.declared.keys {
      #expect(!unclear.contains(name) && statements.contains { $0.name == name }, "\(name) is declared wrongly")
    }
  }
}
