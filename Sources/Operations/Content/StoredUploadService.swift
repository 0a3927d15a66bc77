package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Lists an app's uploaded media and audience files, and deletes them before they expire. A file that an unfinished
/// message needs cannot be deleted.
package enum StoredUploadService {
  /// An uploaded picture, sound or video.
  package struct Media: DescribedAnswer {
    let found: StoredUploads.Media
    /// Address at which devices fetch the file; nil without a public URL.
    let url: String?

    package static let object = JSONObject<Media>(
      "StoredUpload",
      [
        .always("uploadId", .anyText, \.found.name, "What a send names as `media`."),
        .always("url", .orNull(.anyText), \.url, "Where devices fetch it; null without UPMC_PUBLIC_URL."),
        .always("path", .anyText, \.path, "The same at this server."),
        .always("contentType", .anyText, \.found.type), .always("bytes", .count, \.found.bytes),
        .always("uploadedBy", .orNull(.anyText), \.found.keyName, "The API key's name; null: a person's upload."),
        .always("createdAt", .moment, \.found.createdAt),
        .always("expiresAt", .moment, \.found.expiresAt, "A message that shows it keeps it for longer."),
      ])

    private var path: String { ContentHosting.mediaPath + found.name + found.suffix }
  }

  /// Lists an app's media that have not expired, newest first.
  package static func media(
    of appID: String, _ page: PageRequest, hosting: ContentHosting, by caller: Caller, on connection: Connection,
    now: Timestamp
  ) throws(Problem) -> ItemPage<Media> {
    let app = try connection.app(appID, allowing: caller, to: .send)
    let place = try mediaPlace(page.cursor)
    let found = try connection.answer(
      StoredUploads.media(of: app.number, at: now, before: place.createdAt, place.name, limit: page.limit + 1))
    let items = found.map { media in
      Media(found: media, url: hosting.publicURL.map { $0 + ContentHosting.mediaPath + media.name + media.suffix })
    }
    return ItemPage(items, limit: page.limit) { "\($0.found.createdAt.microseconds) \($0.found.name)" }
  }

  /// Returns the creation time and the name of the entry after which the page begins; for a nil cursor, a position
  /// before the newest entry.
  /// - Throws: for another list's cursor.
  private static func mediaPlace(_ cursor: String?) throws(Problem) -> (createdAt: Timestamp, name: String) {
    guard let cursor else { return (Operations.Limits.latestMoment, "") }
    let parts = cursor.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let createdAt = Int64(parts[0]).map(Timestamp.init(microseconds:)),
      createdAt < Operations.Limits.latestMoment
    else {
      throw PageRequest.foreignCursor
    }
    return (createdAt, String(parts[1]))
  }

  /// Deletes a media file, and audits that. People who open a finished message that shows the file no longer see it.
  /// - Throws: `.conflict` if an unfinished message shows the file; `.unknownUpload` if the app has no such file.
  package static func deleteMedia(
    _ name: String, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let app = try connection.app(appID, allowing: caller, to: .manageContent)
    let refusal = try connection.commit { () throws(PostgresError) -> Problem? in
      // The lock prevents a new message from showing the file meanwhile.
      guard let bytes = try connection.run(StoredUploads.lockMedia(name, of: app.number)) else {
        return Problem(.unknownUpload, "The app \(appID) has no uploaded file \(name).")
      }
      if let seqno = try connection.run(StoredUploads.message(showing: name, of: app.number)) {
        return inUse("shows the file", seqno)
      }
      try connection.run(StoredUploads.deleteMedia(name))
      let change = AuditTrail.Change("upload.delete", name, in: app).from { $0.member("bytes", bytes) }
      try connection.run(AuditTrail.add(change, by: caller))
      return nil
    }
    if let refusal { throw refusal }
  }

  /// An uploaded audience file.
  package struct File: DescribedAnswer {
    let found: StoredUploads.File

    package static let object = JSONObject<File>(
      "StoredAudience",
      [
        .always("csvId", .sequence, \.found.csv, "Its number, for the audience of a send."),
        .always("lines", .count, \.found.lines, "Users in it."), .always("createdAt", .moment, \.found.createdAt),
        .always("expiresAt", .moment, \.found.expiresAt, "A message that uses it keeps it for longer."),
      ])
  }

  /// Lists an app's audience files that have not expired, newest first.
  package static func files(
    of appID: String, _ page: PageRequest, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> ItemPage<File> {
    let app = try connection.app(appID, allowing: caller, to: .send)
    let found = try connection.answer(
      StoredUploads.files(of: app.number, at: now, before: try page.number(first: .max), limit: page.limit + 1))
    return ItemPage(found.map(File.init), limit: page.limit) { String($0.found.csv) }
  }

  /// Deletes an audience file with its lines, which are personal data, and audits that.
  /// - Throws: `.conflict` if an unfinished message uses the file; `.unknownUpload` if the app has no such file.
  package static func deleteFile(
    _ csv: Int64, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let app = try connection.app(appID, allowing: caller, to: .manageAudiences)
    let refusal = try connection.commit { () throws(PostgresError) -> Problem? in
      // The lock prevents a new message from using the file meanwhile.
      guard let lines = try connection.run(StoredUploads.lockFile(csv, of: app.number)) else {
        return Problem(.unknownUpload, "The app \(appID) has no uploaded file \(csv).")
      }
      if let seqno = try connection.run(StoredUploads.message(using: csv, of: app.number)) {
        return inUse("goes to the file's users", seqno)
      }
      try connection.run(StoredUploads.deleteFile(csv))
      let change = AuditTrail.Change("audience.delete", String(csv), in: app).from { $0.member("lines", lines) }
      try connection.run(AuditTrail.add(change, by: caller))
      return nil
    }
    if let refusal { throw refusal }
  }

  private static func inUse(_ what: Sentence, _ seqno: Seqno) -> Problem {
    Problem(
      .conflict, "The message \(seqno) is not finished and \(what). Wait for its end, or cancel it first.")
  }
}

extension Operations.Limits {
  /// Moment after every stored time: 9999-12-31T23:59:59Z.
  static let latestMoment = Timestamp(seconds: 253_402_300_799)
}
