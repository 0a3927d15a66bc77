internal import Postgres
internal import Store

/// The check of `upmc doctor` for a database with the extension Citus: whether all tables are still where the server
/// expects them.
struct PlacementCheck {
  let place: String

  /// Returns the finding; nil for a database without the extension.
  func finding(_ connection: Connection) throws(PostgresError) -> Finding? {
    guard let version = try connection.run(Placement.citusVersion()) else { return nil }
    return finding(version: version, moved: try connection.run(Placement.tablesOfCitus()))
  }

  /// Returns the finding about the tables that Citus manages.
  /// - Parameter moved: names of our tables among them; reported as a failure unless empty.
  func finding(version: String, moved: [String]) -> Finding {
    guard let first = moved.first else {
      return .ok("placement", place, "Citus \(version) is here; every table is an ordinary one on this coordinator")
    }
    let others = moved.count == 1 ? "" : " and \(moved.count - 1) more"
    return .failure(
      "placement", place, "Citus \(version) has taken \(first)\(others), and a receipt may be lost in a crash",
      remedy: "Bring it back: SELECT undistribute_table('\(first)'); this version distributes no table.")
  }
}
