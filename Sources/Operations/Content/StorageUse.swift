package import Domain
package import JSON
package import Postgres
internal import Store

/// How much uploaded content an app stores, and its limits (`UploadRoom`), so that nobody first learns of a limit from
/// a refusal.
package struct StorageUse: DescribedAnswer {
  let mediaBytes: Int64
  let audienceBytes: Int64
  let importParts: Int64

  package static let object = JSONObject<StorageUse>(
    "StorageUse",
    [
      .always(
        "mediaBytes", .count, \.mediaBytes, "Pictures, sounds and films, each counted as at least 256 KiB."),
      .always("mediaLimit", .count, { _ in Operations.Limits.mediaBytesOfApp }, "More is refused with 409."),
      .always("audienceBytes", .count, \.audienceBytes, "Audience files, each counted as at least 1 MiB."),
      .always("audienceLimit", .count, { _ in Operations.Limits.audienceBytesOfApp }, "More is refused with 409."),
      .always(
        "importParts", .count, \.importParts, "Parts of imports without `skipErrors` that await their last part."),
      .always("importPartsLimit", .count, { _ in Operations.Limits.importPartsOfApp }, "More is refused with 409."),
    ])

  /// Adds up what an app stores, including content that has expired but is not deleted yet.
  /// - Throws: `.forbidden`, `.unknownApp`.
  package static func of(
    _ appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> StorageUse {
    let app = try connection.app(appID, allowing: caller, to: .send).number
    return StorageUse(
      mediaBytes: try connection.answer(StoredUploads.mediaBytes(of: app, atLeast: Operations.Limits.partBytes)),
      audienceBytes: try connection.answer(
        StoredUploads.fileBytes(of: app, atLeast: Operations.Limits.leastAudienceBytes)),
      importParts: try connection.answer(Imports.storedParts(of: app)))
  }
}
