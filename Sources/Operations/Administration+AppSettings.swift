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
    /// How many devices a user has. With `single`, one who has several keeps them until one of them registers again.
    package var devicePolicy: App.DevicePolicy?
    /// Whether naming a user needs a proof.
    package var userProof: UserProof?
    /// Whether a user's other devices are told a new count.
    package var badgeSync: Bool?

    package init() {}

    /// Reads some of `{"deviceSends":10,"devicePolicy":"single","userProof":true,"badgeSync":true}`.
    package init(json: [UInt8]) throws(Problem) {
      var settings = AppSettings()
      var reader = JSONReader(json)
      do throws(JSONError) {
        try reader.readObject { (reader, key) throws(JSONError) in
          switch key {
          case "deviceSends":
            settings.deviceSendsPerMinute = Int16(try reader.readCount(in: Operations.Limits.deviceSendsPerMinute))
          case "devicePolicy":
            guard let policy = App.DevicePolicy(name: try reader.readString()) else {
              throw JSONError("must be multi or single")
            }
            settings.devicePolicy = policy
          case "userProof": settings.userProof = try reader.readBool() ? .on : .off
          case "badgeSync": settings.badgeSync = try reader.readBool()
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
      _ = try connection.run(
        Apps.setPolicies(
          app.number, device: settings.devicePolicy, userProof: settings.userProof.map(change),
          badgeSync: settings.badgeSync))
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
