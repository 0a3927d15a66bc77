internal import JSON
internal import Domain
internal import HTTPServer
internal import Operations

/// Endpoints for imports of people from files.
extension Endpoint {
  static let imports: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/imports", id: "listImports", in: .people, "List imports", "Those of an app, newest first.",
      by: .permission(.importPeople), parameters: [.ofApp(), .limit, .cursor],
      answers: [
        Answer(200, "A page of imports.", ItemPage<ImportService.Entry>.object, example: Answer.page(imported))
      ],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.imports)),
    Endpoint(
      .post, "/v1/admin/imports", id: "beginImport", in: .people, "Begin to bring in people from a file",
      """
      The file follows in parts. Its first line names the columns: `clientUid` (needed), `clientName`, `groupSeqs` and \
      `tags` (several between semicolons) for users; `clientUid` for members of a group; `device` and `tags`, which \
      are added, for devices. With `skipErrors` (true by default) a wrong line costs itself; without, one wrong line \
      brings all to nothing, and the file has at most 16 parts, which are stored until the last one arrives: at most \
      2,048 an app. The file is in UTF-8 or CP949 (EUC-KR): what `encoding` says, or what most lines are of the first \
      part with letters beyond ASCII.
      """, by: .permission(.importPeople),
      body: Body(
        ImportService.New.object,
        examples: [("users", #"{"appId":"com.example.bank","kind":"users","skipErrors":true}"#)]),
      answers: [Answer(201, "It is open.", ImportService.Entry.object, example: imported)],
      problems: [.unknownApp, .unknownGroup, .impossible], handler: .whole(AdminCall.beginImport)),
    Endpoint(
      .get, "/v1/admin/imports/{importId}", id: "showImport", in: .people, "Ask how far an import is",
      "Lines that were read, people who were brought in, lines that were wrong.", by: .permission(.importPeople),
      answers: [Answer(200, "The import.", ImportService.Entry.object, example: imported)], problems: [.notFound],
      handler: .whole(AdminCall.showImport)),
    Endpoint(
      .get, "/v1/admin/imports/{importId}/errors", id: "listImportErrors", in: .people, "List the wrong lines",
      "By their numbers, the first 100,000.", by: .permission(.importPeople), parameters: [.limit, .cursor],
      answers: [
        Answer(
          200, "A page of wrong lines.", ItemPage<ImportService.FaultEntry>.object,
          example: Answer.page(#"{"line":17,"text":",Kim","error":"clientUid is empty"}"#))
      ], problems: [.invalidField, .notFound], handler: .whole(AdminCall.importErrors)),
    Endpoint(
      .put, "/v1/admin/imports/{importId}/parts/{part}", id: "putImportPart", in: .people, "Send a part of the file",
      """
      Up to 1 MiB, cut anywhere, also within a character. Parts are taken in their order; the same part again changes \
      nothing, so it may be repeated when the answer got lost. Each is brought in whole before it is answered.
      """, by: .permission(.importPeople), load: .heavy,
      parameters: [
        .query("last", JSONSchema.words(["true", "false"]), "The file ends with this part.")
      ],
      body: Body(
        schema: "PeopleFile", examples: [("users", "clientUid,clientName,tags\nkim01,Kim,vip\n")], type: "text/csv"),
      answers: [Answer(200, "How far the import is now.", ImportService.Entry.object, example: imported)],
      problems: [.notFound, .conflict, .impossible], handler: .whole(AdminCall.takeImportPart)),
    Endpoint(
      .post, "/v1/admin/imports/{importId}/cancel", id: "cancelImport", in: .people, "Cancel an import",
      """
      It takes no more parts. People who are already imported stay: `imported` counts them, and `lines` says how far \
      the file was read. With `skipErrors` false, nobody is imported before the last part. Cancelling an import again \
      changes nothing; one whose last part has arrived is refused with 409.
      """, by: .permission(.importPeople),
      answers: [Answer(200, "The cancelled import.", ImportService.Entry.object, example: cancelled)],
      problems: [.notFound, .conflict], handler: .whole(AdminCall.cancelImport)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let importSchemas: [JSONTree.Member] = [
    ItemPage<ImportService.Entry>.object.named, ImportService.Entry.object.named, ImportService.New.object.named,
    ItemPage<ImportService.FaultEntry>.object.named,
    ("PeopleFile", .object([("type", "string"), ("description", "Comma-separated lines (RFC 4180).")])),
  ]

  private static let imported = """
    {"importId":"9","appId":"com.example.bank","kind":"users","groupSeq":null,"skipErrors":true,"encoding":"UTF-8",\
    "state":"finished","parts":1,"lines":3,"imported":2,"rejected":1,"createdAt":"2026-11-21T09:30:00.123Z","createdBy":"kim@example.com",\
    "finishedAt":"2026-11-21T09:30:04.567Z"}
    """

  private static let cancelled = """
    {"importId":"9","appId":"com.example.bank","kind":"users","groupSeq":null,"skipErrors":true,"encoding":"UTF-8",\
    "state":"cancelled","parts":1,"lines":3,"imported":2,"rejected":1,"createdAt":"2026-11-21T09:30:00.123Z","createdBy":"kim@example.com",\
    "finishedAt":"2026-11-21T09:30:04.567Z"}
    """
}

extension AdminCall {
  fileprivate func imports() throws(Problem) -> Response {
    .json(.ok, try ImportService.list(of: try required("appId"), try page(), by: caller, on: connection))
  }

  fileprivate func beginImport() throws(Problem) -> Response {
    .json(
      .created, try ImportService.begin(try self.body(ImportService.New.object), by: caller, on: connection))
  }

  fileprivate func showImport() throws(Problem) -> Response {
    .json(.ok, try ImportService.show(try importNumber(), by: caller, on: connection))
  }

  fileprivate func importErrors() throws(Problem) -> Response {
    .json(.ok, try ImportService.faults(of: try importNumber(), try page(), by: caller, on: connection))
  }

  fileprivate func takeImportPart() throws(Problem) -> Response {
    guard ContentType.mediaType(request.header("content-type")) == "text/csv" else {
      throw Problem(.unsupportedMediaType, "Send a part of the file with Content-Type: text/csv.")
    }
    guard let part = Int32(parameters["part"]), part > 0 else {
      throw Problem(.invalidField, "Parts are counted from 1: …/parts/1")
    }
    let last = query["last"] ?? "false"
    guard ["true", "false"].contains(last) else { throw Problem(.invalidField, "last must be true or false.") }
    return .json(
      .ok,
      try ImportService.take(
        ImportPart(number: part, bytes: request.body, isLast: last == "true"), of: try importNumber(),
        by: caller,
        on: connection, now: now))
  }

  fileprivate func cancelImport() throws(Problem) -> Response {
    .json(.ok, try ImportService.cancel(try importNumber(), by: caller, on: connection))
  }

  private func importNumber() throws(Problem) -> Int64 {
    guard let number = Int64(parameters["importId"]) else {
      throw Problem(.notFound, "An import's id is a whole number, as lists show it.")
    }
    return number
  }
}
