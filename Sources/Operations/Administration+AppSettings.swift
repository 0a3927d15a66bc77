package import Domain
internal import JSON
package import Postgres
internal import Store

/// What may be changed of an app.
extension Administration {
  /// Changes; nil leaves a setting as it is.
  package struct AppSettings: Equatable, Sendable {
    /// Messages that one device may send to other users in a minute; 0: none.
    package var deviceSendsPerMinute: Int16?

    package init() {}

    /// Reads `{"deviceSends":10}`.
    package init(json: [UInt8]) throws(Problem) {
      var settings = AppSettings()
      var reader = JSONReader(json)
      do throws(JSONError) {
        try reader.readObject { (reader, key) throws(JSONError) in
          switch key {
          case "deviceSends":
            settings.deviceSendsPerMinute = Int16(try reader.readCount(in: Operations.Limits.deviceSendsPerMinute))
          default: throw .unknownField
          }
        }
        try reader.finish()
      } catch {
        throw Problem(error)
      }
      guard settings != AppSettings() else { throw Problem(.invalidField, "Name a setting: {\"deviceSends\":10}.") }
      self = settings
    }
  }

  package static func change(
    _ settings: AppSettings, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    if let sends = settings.deviceSendsPerMinute, !Operations.Limits.deviceSendsPerMinute.contains(Int64(sends)) {
      let range = Operations.Limits.deviceSendsPerMinute
      throw Problem(at: "/deviceSends", "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    try connection.commit { () throws(PostgresError) in
      if let sends = settings.deviceSendsPerMinute { try connection.run(Apps.setDeviceSends(app.number, sends)) }
      try connection.run(Announcements.announce(Catalog.channel))
    }
    guard let record = try connection.answer(Apps.find(appID: appID)) else {
      throw Problem(.unknownApp, "The app \(appID) was deleted meanwhile.")
    }
    return AppEntry(app: record.app, clientKey: record.clientKey)
  }
}

extension Operations.Limits {
  /// Messages of one device in a minute. More is no conversation.
  package static let deviceSendsPerMinute: ClosedRange<Int64> = 0...1000
}
