internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoint that uploads an audience as a file. Those that list and delete such files are in
/// `StoredUploadEndpoints.swift`.
extension Endpoint {
  static let files: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/audiences/csv", id: "uploadAudience", in: .audiences, "Upload an audience as a file",
      """
      Lines of `CUID,NAME[,VAR1 … VAR9]`; or a first line that names the columns, `CUID` before all. Up to a million lines \
      and 32 MiB, in UTF-8 or CP949 (EUC-KR). A file with a wrong line is refused and its first wrong lines are told, \
      unless `skipErrors` leaves them out. A user in several lines counts once, as the first says. The same file again \
      is the same audience. A file that no message uses is gone after 7 days; one that a message uses, 90 days after \
      that message is due or expires, whichever is later. An app stores 32 GiB of such files, each counted as 1 MiB at \
      least; another is refused with 409 until some are deleted or have expired.
      """, by: .permission(.send), load: .heavy,
      parameters: [
        .ofApp(),
        .query(
          "skipErrors", JSONSchema.words(["true", "false"]), "Leave wrong lines out instead of refusing the file."),
      ],
      body: Body(
        schema: "CSVFile", examples: [("lines", "CUID,NAME,VAR1\nkim01,Kim,10000\nlee02,Lee,25000\n")],
        type: "text/csv"),
      answers: [
        Answer(
          201, "It is stored: send to `{\"csv\":…}`.", CSVUploads.Stored.object,
          example: """
            {"csvId":"5","lines":2,"duplicates":0,"encoding":"UTF-8","devices":3,"unknown":0,"unknownUsers":[],"faults":0,\
            "errors":[],"expiresAt":"2026-11-28T09:30:00.123Z"}
            """)
      ], problems: [.unknownApp, .impossible], handler: .whole(AdminCall.uploadAudience))
  ]

  /// The named schemas that this endpoint adds to the OpenAPI document (`Schemas`), in the document's order.
  static let fileSchemas: [JSONTree.Member] = [
    ("CSVFile", .object([("type", "string"), ("description", "One user a line.")])), CSVUploads.Stored.object.named,
  ]
}

extension AdminCall {
  /// Stores the file in the request's body as an audience, or throws if the app is not named, the Content-Type is
  /// neither CSV, plain text nor binary, or the file is refused.
  fileprivate func uploadAudience() throws(Problem) -> Response {
    guard let appID = query["appId"] else {
      throw Problem(.invalidField, "Say for which app: /v1/admin/audiences/csv?appId=…")
    }
    let type = ContentType.mediaType(request.header("content-type"))
    guard ["text/csv", "text/plain", "application/octet-stream"].contains(type) else {
      throw Problem(.unsupportedMediaType, "Send the file itself with Content-Type: text/csv.")
    }
    let stored = try CSVUploads.store(
      request.source, of: appID, skipsFaults: query["skipErrors"] == "true", by: caller, on: connection,
      now: now)
    return .json(.created, stored)
  }
}
