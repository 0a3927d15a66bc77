package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Uploads of images, audio and video for notifications. The type is detected from the bytes; a declared type must
/// agree, unless it is one that clients send for unknown types, such as `application/octet-stream`.
package enum UploadService {
  package struct Request: Sendable {
    package let appID: String
    /// Value of the Content-Type header; nil if absent.
    package let contentType: String?
    package let body: ByteSource
    /// Lifetime of the upload from now, an ISO 8601 duration from PT1M to P366D; nil for 90 days.
    package let expiresIn: String?
    package let caller: Caller
    package let hosting: ContentHosting

    package init(
      appID: String, contentType: String?, body: ByteSource, expiresIn: String?, caller: Caller, hosting: ContentHosting
    ) {
      self.appID = appID
      self.contentType = contentType
      self.body = body
      self.expiresIn = expiresIn
      self.caller = caller
      self.hosting = hosting
    }
  }

  package struct Uploaded: DescribedAnswer {
    /// Name by which a send's `media` refers to the upload.
    package let upload: String
    package let url: String
    package let type: MediaType
    package let bytes: Int
    package let expiresAt: Timestamp

    package static let object = JSONObject<Uploaded>(
      "Upload",
      [
        .always("uploadId", .anyText, \.upload, "What a send names as `media`."),
        .always("url", .anyText, \.url, "Where devices fetch it."),
        .always("contentType", .words(MediaType.allCases), \.type, "What its bytes say it is."),
        .always("bytes", .count, \.bytes), .always("expiresAt", .moment, \.expiresAt),
      ])
  }

  /// Stores a file in one transaction, with an audit entry, and returns its name and address.
  /// - Parameter catalog: searched for the app before the database; nil searches only the database.
  /// - Throws: `.forbidden`; `.unknownApp`; `.malformed` for an empty body; `.unsupportedMediaType` if no notification
  ///   can show the file, or its declared type differs from the detected one; `.bodyTooLarge`; `.invalidField` for an
  ///   invalid lifetime; `.conflict` if the app's media would exceed `mediaBytesOfApp`; `.notConfigured` without a
  ///   public URL.
  package static func upload(
    _ request: Request, on connection: Connection, catalog: Catalog? = nil, now: Timestamp
  ) throws(Problem) -> Uploaded {
    try request.caller.require(.send)
    let app = try connection.app(request.appID, catalog: catalog)
    try request.caller.require(.send, in: app)
    let type = try check(request)
    let lifetime = try lifetime(request.expiresIn)
    let name = ContentHosting.makeName()
    let url = try request.hosting.url(ContentHosting.mediaPath, name + type.suffix)
    let file = HostedFiles.New(
      name: name, app: app.number, suffix: type.suffix, type: type.rawValue,
      sha256: try request.body.sha256(), body: [], apiKey: request.caller.apiKey, createdAt: now,
      expiresAt: now + lifetime)
    try connection.commitReading { () throws(Problem) in
      let partBytes = Operations.Limits.partBytes
      try connection.answer(HostedFiles.create(file, bytes: request.body.count, partBytes: partBytes))
      let taken = try connection.answer(StoredUploads.mediaBytes(of: app.number, atLeast: partBytes))
      try UploadRoom.check(taken, upTo: Operations.Limits.mediaBytesOfApp, of: app)
      var part = 0
      try request.body.forEachPart(of: partBytes) { bytes throws(Problem) in
        try connection.answer(HostedFiles.add(bytes, part: part, of: name))
        part += 1
      }
      let uploaded = AuditTrail.Change("upload.create", name, in: app).to { writer in
        writer.member("contentType", type.rawValue)
        writer.member("bytes", request.body.count)
      }
      try connection.answer(AuditTrail.add(uploaded, by: request.caller))
    }
    return Uploaded(upload: name, url: url, type: type, bytes: request.body.count, expiresAt: file.expiresAt)
  }

  private static func check(_ request: Request) throws(Problem) -> MediaType {
    guard request.body.count > 0 else { throw Problem(.malformed, "The body is empty; it should be the file itself.") }
    guard let type = MediaType(sniffing: try request.body.part(at: 0, Operations.Limits.sniffedBytes)) else {
      let known = MediaType.allCases.map { $0.suffix.dropFirst() }.joined(separator: ", ")
      throw Problem(
        .unsupportedMediaType,
        "The file is nothing that a notification can show. It can show \(known); not WebP or HEIC.")
    }
    let said = (request.contentType ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    // Clients send these types when they do not know the real one; the last is curl's default for --data-binary.
    let isSaid = !["", "application/octet-stream", "application/x-www-form-urlencoded"].contains(said)
    guard !isSaid || type.isCalled(said) else {
      throw Problem(
        .unsupportedMediaType, "Content-Type says \(said), but the file is \(type.rawValue). Send it as what it is.")
    }
    guard request.body.count <= type.kind.largestBytes else {
      throw Problem(
        .bodyTooLarge,
        """
        The file has \(request.body.count) bytes; a notification shows \(type.kind.rawValue) of at most \
        \(type.kind.largestBytes) bytes.
        """)
    }
    return type
  }

  private static func lifetime(_ text: String?) throws(Problem) -> Duration {
    guard let text else { return Operations.Limits.hostingPeriod }
    guard let seconds = ISODuration.seconds(text), Operations.Limits.uploadSeconds.contains(seconds) else {
      throw Problem(.invalidField, "expiresIn must be an ISO 8601 duration from PT1M to P366D, for example P30D.")
    }
    return .seconds(seconds)
  }
}

extension Operations.Limits {
  /// Lifetimes, in seconds, that a request can ask for. A message that shows the upload keeps it for longer if needed.
  package static let uploadSeconds: ClosedRange<Int64> = 60...31_622_400
  /// Number of bytes examined to detect the type; far more than any signature needs.
  static let sniffedBytes = 4_096
}
