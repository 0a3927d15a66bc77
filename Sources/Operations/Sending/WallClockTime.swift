package import Domain
package import Postgres
internal import Store

/// Times given as wall-clock time in the app's time zone.
package enum WallClockTime {
  /// - Returns: the moment in RFC 3339, for a send's `sendAt`.
  package static func sendAt(
    _ local: LocalTime, of appID: String, on connection: Connection, catalog: Catalog?
  ) throws(Problem) -> String {
    let app = try connection.app(appID, catalog: catalog)
    return Timestamp.text(try connection.answer(WallClock.moment(local.text, timeZone: app.timeZone)))
  }
}
