package import Domain
package import JSON
package import Postgres
internal import Store

/// Replacing an app's client key. It is inside every copy of the app, so the former one goes on identifying the app until
/// few copies have it. Decision 151.
extension Administration {
  package struct NewClientKey: Sendable {
    /// How long the present key identifies the app too; nil: until it is ended.
    package var keeping: Int32?

    package static let object = JSONObject(
      "NewClientKey", from: NewClientKey(),
      [
        .given(
          "keepFormerFor", .orNull(.seconds(Operations.Limits.clientKeyOverlap)), \.keeping,
          "How long the present key identifies the app too; null or absent: until it is ended.")
      ])
  }

  /// Gives an app another client key, at once, beside the present one.
  /// - Throws: `.conflict` while there is a former one.
  package static func replaceClientKey(
    of appID: String, _ new: NewClientKey, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try connection.app(appID, allowing: caller, to: .manageApps)
    let clientKey = RandomToken.make()
    let change = AuditTrail.Change("app.client-key", appID, in: app)
    let record = try connection.commit { () throws(PostgresError) -> Apps.Record? in
      let query = Apps.replaceClientKey(app.number, with: clientKey, keeping: new.keeping)
      guard let record = try connection.run(query) else { return nil }
      try connection.run(Announcements.announce(Catalog.channel))
      try connection.run(AuditTrail.add(change, by: caller))
      return record
    }
    guard let record else {
      throw Problem(
        .conflict,
        "The app has a former client key already. End that first: `upmc app client-key \(appID) --end-former`.")
    }
    return AppEntry(record)
  }

  /// Ends the former client key: copies of the app that have it can register no more.
  package static func endFormerClientKey(
    of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try connection.app(appID, allowing: caller, to: .manageApps)
    let change = AuditTrail.Change("app.client-key.end", appID, in: app)
    let record = try connection.commit { () throws(PostgresError) -> Apps.Record? in
      guard let record = try connection.run(Apps.endFormerClientKey(app.number)) else { return nil }
      try connection.run(Announcements.announce(Catalog.channel))
      try connection.run(AuditTrail.add(change, by: caller))
      return record
    }
    guard let record else { throw Problem(.notFound, "The app has no former client key.") }
    return AppEntry(record)
  }
}

extension Operations.Limits {
  /// How long a former client key may identify an app, in seconds: up to five years, as long as copies live.
  static let clientKeyOverlap: ClosedRange<Int64> = 1...157_680_000
}
