internal import Domain

/// Limits what an app stores of uploads, so that one API key cannot fill the database's disk.
enum UploadRoom {
  /// Refuses an upload that takes more than the app may store. Call it in the transaction that stores the upload, which
  /// then rolls back. Uploads that are stored at the same time do not see each other, so an app may exceed the limit by
  /// as many as all nodes store at once.
  /// - Parameters:
  ///   - taken: what the app's uploads take with this one, in bytes.
  ///   - limit: what they may take, in bytes.
  /// - Throws: `.conflict` if `taken` exceeds `limit`.
  static func check(_ taken: Int64, upTo limit: Int64, of app: App) throws(Problem) {
    guard taken > limit else { return }
    let (needed, allowed) = ((taken + mebibyte - 1) / mebibyte, limit / mebibyte)
    throw Problem(
      .conflict,
      """
      The app \(app.appID) has no room for this file: with it, its uploads take \(needed) MiB of at most \(allowed) \
      MiB. Delete some, or wait until some expire.
      """)
  }

  /// Returns the refusal of a part that is to be stored until the last one of its import arrives, if the app has as
  /// many as it may; otherwise nil. Ask in the transaction that stores the part; parts that are stored at the same time
  /// do not see each other.
  /// - Parameter stored: parts that are stored of all the app's imports.
  static func refusal(ofPartBeside stored: Int64, of appID: String) -> Problem? {
    guard stored >= Operations.Limits.importPartsOfApp else { return nil }
    return Problem(
      .conflict,
      """
      The app \(appID) has no room for this part: of its unfinished imports, \(stored) parts of at most \
      \(Operations.Limits.importPartsOfApp) are stored. Finish or cancel some of them, or wait: their parts are \
      deleted 30 days after they began.
      """)
  }

  private static let mebibyte: Int64 = 1_048_576
}

extension Operations.Limits {
  /// Maximum total size of an app's media in bytes: 20 GiB, which is a picture of 2 MB every quarter of an hour, each
  /// kept for 90 days. A file counts as `partBytes` at least, so that there are few enough to add up.
  static let mediaBytesOfApp: Int64 = 20 << 30
  /// Maximum total size of an app's audience files in bytes: 32 GiB, which is eleven of the largest a day, each kept
  /// for 90 days. A file counts as `leastAudienceBytes` at least.
  static let audienceBytesOfApp: Int64 = 32 << 30
  /// Maximum number of stored parts of an app's imports, each of at most `importPartBytes`: 2 GiB, or 128 of the
  /// largest files at a time that are brought in whole or not at all.
  static let importPartsOfApp: Int64 = 2_048
  /// Maximum size of an audience file in bytes: some 500,000 users with a few variables each.
  package static let audienceBytes = 33_554_432
  /// Bytes that an audience file counts as at least, so that there are few enough to add up.
  static let leastAudienceBytes = 1_048_576
}
