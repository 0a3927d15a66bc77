import Postgres
import Store
import TestSupport
import Testing

@testable import Maintenance

/// What the doctor says about a database with the extension Citus.
@Suite struct PlacementCheckTests {
  private let check = PlacementCheck(place: "db")

  @Test func `a coordinator that keeps every table is well, and one that gave a table away is not`() {
    let well = check.finding(version: "13.2-1", moved: [])
    #expect(well.severity == .ok)
    #expect(well.what == "Citus 13.2-1 is here; every table is an ordinary one on this coordinator")
    let one = check.finding(version: "13.2-1", moved: ["confirmation_log"])
    #expect(one.severity == .failure && one.what.contains("has taken confirmation_log, and"))
    #expect(one.remedy.contains("undistribute_table('confirmation_log')"))
    let several = check.finding(version: "13.2-1", moved: ["blocks", "devices", "users"])
    #expect(several.what.contains("blocks and 2 more,"))
  }

  @Test func `a database says whether it has the extension, and that nothing has moved`() throws {
    let connection = try TestDatabase.make().connect()
    let version = try connection.run(Placement.citusVersion())
    let expected: Finding.Severity? = version == nil ? nil : .ok
    #expect(try check.finding(connection)?.severity == expected)
  }
}
