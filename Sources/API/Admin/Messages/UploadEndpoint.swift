internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoint that uploads a picture, sound or video for notifications.
extension Endpoint {
  static let uploads: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/uploads", id: "upload", in: .messages, "Upload a picture, sound or film",
      """
      The body is the file itself. What it is, its first bytes say; a Content-Type that says something else is refused. A \
      notification shows jpg, png and gif up to 10 MB, mp3, m4a, wav and aiff up to 5 MB, mp4, mpg, mov and avi up to 50 MB. \
      An app can store up to 20 GiB, each file counted as 256 KiB at least; beyond that, uploads are refused with 409 \
      until some are deleted or have expired. Needs UPMC_PUBLIC_URL: devices fetch it from there.
      """, by: .permission(.send), load: .heavy,
      parameters: [
        .query("appId", JSONSchema.appID, "The app it is for.", isNeeded: true),
        .query(
          "expiresIn", JSONSchema.duration(Operations.Limits.uploadSeconds),
          "How long it stays, unless a message needs it longer; 90 days when absent."),
      ],
      body: Body(schema: file.name, examples: [], type: "application/octet-stream"),
      answers: [
        Answer(
          201, "It is stored.", UploadService.Uploaded.object,
          example: """
            {"uploadId":"5Zx0uT3bYw9cQk2Lr8VnAg","url":"https://push.example.com/m/5Zx0uT3bYw9cQk2Lr8VnAg.jpg",\
            "contentType":"image/jpeg","bytes":48213,"expiresAt":"2027-03-01T00:00:00Z"}
            """)
      ], problems: [.unknownApp, .notConfigured], handler: .whole(AdminCall.upload))
  ]

  /// The named schemas that this endpoint adds to the OpenAPI document (`Schemas`), in the document's order.
  static let uploadSchemas: [JSONTree.Member] = [UploadService.Uploaded.object.named, file]

  private static let file: JSONTree.Member = (
    "File",
    .object([
      ("type", "string"), ("format", "binary"), ("minLength", .number(1)), ("description", "The bytes of the file."),
    ])
  )
}

extension AdminCall {
  fileprivate func upload() throws(Problem) -> Response {
    guard let appID = query["appId"], !appID.isEmpty else {
      throw Problem(.invalidField, "Name the app in the address: /v1/admin/uploads?appId=…")
    }
    let uploaded = try UploadService.upload(
      UploadService.Request(
        appID: appID, contentType: request.header("content-type"), body: request.source,
        expiresIn: query["expiresIn"], caller: caller, hosting: resources.hosting),
      on: connection, catalog: resources.catalog, now: now)
    return .json(.created, uploaded)
  }
}
