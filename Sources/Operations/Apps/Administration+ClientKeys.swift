package import Domain
package import JSON
package import Postgres
internal import Store

/// Replaces an app's client key. The key is built into every copy of the app, so the former key can stay valid for as
/// long as such copies are in use. Decision 151.
extension Administration {
  package struct NewClientKey: Sendable {
    /// Time, in seconds, for which the current key stays valid beside the new one; nil keeps it valid until
    /// `endFormerClientKey` is called.
    package var keeping: Int32?

    package static let object = JSONObject(
      "NewClientKey", from: NewClientKey(),
      [
        .given(
          "keepFormerFor", .orNull(.seconds(Operations.Limits.clientKeyOverlap)), \.keeping,
          "How long the present key identifies the app too; null or absent: until it is ended.")
      ])
  }

  /// Replaces an app's client key. The new key is valid at once; the current one becomes the former key and stays valid
  /// for the requested time.
  /// - Throws: `.conflict` while the app has an earlier former key that is still valid, or the app is being deleted;
  ///   `.forbidden`; `.unknownApp`.
  package static func replaceClientKey(
    of appID: String, _ new: NewClientKey, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try connection.app(appID, allowing: caller, to: .manageApps)
    let clientKey = RandomToken.make()
    let change = AuditTrail.Change("app.client-key", appID, in: app).to { writer in
      writer.member("keepFormerFor", new.keeping.map { ISODuration.text(Int64($0)) })
    }
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

  /// Ends the former client key: within a second, all nodes refuse requests from copies of the app that contain it.
  /// - Throws: `.notFound` if there is no former key, or it has expired; `.conflict` if the app is being deleted;
  ///   `.forbidden`; `.unknownApp`.
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
  /// Permitted times for which a former client key stays valid, in seconds: up to five years, because copies of an app
  /// stay in use for long.
  static let clientKeyOverlap: ClosedRange<Int64> = 1...157_680_000
}
