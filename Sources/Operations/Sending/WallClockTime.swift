package import Domain
package import Postgres
internal import Store
internal import Time

/// Converts a wall-clock time in an app's time zone to an instant.
package enum WallClockTime {
  /// Returns the instant at which clocks in the app's time zone show the time, in RFC 3339 format, as a send's `sendAt`
  /// requires. If they show it twice because they are set back, returns the later instant; if they skip it because they
  /// are set forward, the instant at which they would have shown it without the change.
  /// - Parameter catalog: searched for the app before the database; nil searches only the database.
  /// - Throws: `.unknownApp`.
  package static func sendAt(
    _ local: LocalTime, of appID: String, on connection: Connection, catalog: Catalog?
  ) throws(Problem) -> String {
    let app = try connection.app(appID, catalog: catalog)
    return try connection.answer(WallClock.moment(local.text, timeZone: app.timeZone)).description
  }
}
