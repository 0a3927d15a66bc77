internal import Crypto
package import Domain
package import JSON
package import Postgres
internal import Store

/// Data subject rights: exports and erases everything that is stored about a person.
package enum PersonRights {
  /// The stored data of one user, with one member per kind of data; `phone` is nil if no number is stored.
  package struct Export: DescribedAnswer {
    let appID: String
    let clientUID: String
    let phone: String?
    let parts: [PersonErasure.Part]

    package static let object = JSONObject<Export>(
      "PersonExport",
      [
        .always("appId", .appID, \.appID), .always("clientUid", .anyText, \.clientUID),
        .always(
          "phone", .orNull(.anyText), \.phone, "PHONENUM, as an app built with the existing SDK said it."),
      ]
        + PersonErasure.partNames.map { name in
          .always(name, .raw(JSONSchema.list(of: .object([("type", "object")])))) { export in
            Array(export.parts.first { $0.name == name }?.rows.utf8 ?? "[]".utf8)
          }
        })
  }

  package static func export(
    _ clientUID: String, of appID: String, phones: PhoneNumberSeal?, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Export {
    let (app, key) = try find(clientUID, appID, caller, connection)
    let sealed = try connection.answer(Users.phone(of: key))
    // Audit the export of a person's data even if it fails, in a transaction of its own: the search through millions of
    // messages must not keep one open.
    try connection.commit { () throws(PostgresError) in
      try connection.run(AuditTrail.add(AuditTrail.Change("user.export", trace(clientUID), in: app), by: caller))
    }
    let parts = try connection.answer { () throws(PostgresError) in try PersonErasure.export(key, on: connection) }
    let phone = sealed.flatMap { phones?.open($0, of: key) }
    if sealed != nil, phone == nil {
      throw Problem(.internalError, "The telephone number does not open with this server's master key.")
    }
    return Export(appID: appID, clientUID: clientUID, phone: phone, parts: parts)
  }

  package struct Erased: DescribedAnswer {
    package let devices: Int

    package static let object = JSONObject<Erased>("Erased", [.always("devices", .count, \.devices)])
  }

  /// Erases a user's data with the user's devices, and audits that with a hash of the CUID. The devices can register
  /// again, as new ones.
  /// - Returns: the number of devices erased.
  /// - Throws: `.unknownUser` if nothing is stored under the CUID in the app, so also for a repeated call;
  ///   `.invalidField` if the CUID is too long.
  package static func erase(
    _ clientUID: String, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Erased {
    let (app, key) = try find(clientUID, appID, caller, connection)
    let devices = try connection.commit { () throws(PostgresError) -> Int? in
      guard let devices = try PersonErasure.erase(key, on: connection) else { return nil }
      let change = AuditTrail.Change("user.erase", trace(clientUID), in: app).to { $0.member("devices", devices) }
      try connection.run(AuditTrail.add(change, by: caller))
      return devices
    }
    guard let devices else { throw Problem(.unknownUser, "The app \(appID) knows nothing of \(clientUID).") }
    return Erased(devices: devices)
  }

  private static func find(
    _ clientUID: String, _ appID: String, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> (App, Users.Key) {
    let app = try connection.app(appID)
    try caller.require(.erasePeople, in: app)
    guard clientUID.utf8.count <= Domain.Limits.clientUIDBytes else {
      throw Problem(
        .invalidField, "A clientUid has at most \(Domain.Limits.clientUIDBytes) bytes: nobody has this one.")
    }
    return (app, Users.Key(app: app.number, userKey: UserKey(clientUID: clientUID)))
  }

  /// Returns the identifier of a person in every entry of the audit log, which cannot be changed and is kept for longer
  /// than the person's data: a hash that can be computed from the CUID. Decision 016.
  static func trace(_ clientUID: String) -> String {
    "sha256:" + Hex.encode(SHA256.hash(Array(clientUID.utf8)))
  }
}
