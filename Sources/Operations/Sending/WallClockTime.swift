package import Domain
package import Postgres
internal import Store
internal import Time

/// Converts a wall-clock time in an app's time zone to an instant.
package enum WallClockTime {
  /// Returns the instant in RFC 3339 format, as a send's `sendAt` requires.
  package static func sendAt(
    _ local: LocalTime, of appID: String, on connection: Connection, catalog: Catalog?
  ) throws(Problem) -> String {
    let app = try connection.app(appID, catalog: catalog)
    return try connection.answer(WallClock.moment(local.text, timeZone: app.timeZone)).description
  }
}
