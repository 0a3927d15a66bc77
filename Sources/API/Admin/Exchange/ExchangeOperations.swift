internal import JSON
internal import Domain
internal import HTTPServer
internal import Operations

/// People in files: on their way in, and out.
extension Endpoint {
  static let imports: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/imports", id: "listImports", in: .people, "List imports", "Those of an app, newest first.",
      by: .permission(.importPeople), parameters: [.ofApp(), .limit, .pageCursor],
      answers: [Answer(200, "A page of imports.", "ImportPage", example: Answer.page(imported))],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.imports)),
    Endpoint(
      .post, "/v1/admin/imports", id: "beginImport", in: .people, "Begin to bring in people from a file",
      """
      The file follows in parts. Its first line names the columns: `clientUid` (needed), `clientName`, `groupSeqs` and \
      `tags` (several between semicolons) for users; `clientUid` for members of a group; `device` and `tags`, which are \
      added, for devices. With `skipErrors` (true by default) \
      a wrong line costs itself; without, one wrong line brings all to nothing, and the file has at most 16 parts. The \
      file is in UTF-8 or CP949 (EUC-KR): what `encoding` says, or what most lines are of the first part with letters \
      beyond ASCII.
      """, by: .permission(.importPeople),
      body: Body(
        schema: "NewImport", examples: [("users", #"{"appId":"com.example.bank","kind":"users","skipErrors":true}"#)]),
      answers: [Answer(201, "It is open.", "Import", example: imported)],
      problems: [.unknownApp, .unknownGroup, .impossible], handler: .whole(AdminCall.beginImport)),
    Endpoint(
      .get, "/v1/admin/imports/{importId}", id: "showImport", in: .people, "Ask how far an import is",
      "Lines that were read, people who were brought in, lines that were wrong.", by: .permission(.importPeople),
      answers: [Answer(200, "The import.", "Import", example: imported)], problems: [.notFound],
      handler: .whole(AdminCall.showImport)),
    Endpoint(
      .get, "/v1/admin/imports/{importId}/errors", id: "listImportErrors", in: .people, "List the wrong lines",
      "By their numbers, the first 100,000.", by: .permission(.importPeople), parameters: [.limit, .pageCursor],
      answers: [
        Answer(
          200, "A page of wrong lines.", "ImportErrorPage",
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
      answers: [Answer(200, "How far the import is now.", "Import", example: imported)],
      problems: [.notFound, .conflict, .impossible], handler: .whole(AdminCall.takeImportPart)),
  ]

  static let exports: [Endpoint] = [
    export(
      "users", "exportUsers", "Users as a file", "By CUID, or those whose CUID begins so. It can be imported again.",
      .exportPeople,
      [.ofApp(), .query("prefix", JSONSchema.givenText, "How the CUID begins.")],
      "clientUid,clientName,groupSeqs,tags,badge,devices\r\nkim01,Kim,12,vip,2,1\r\n",
      problems: [.invalidField, .unknownApp], load: .heavy, AdminCall.exportUsers),
    export(
      "members", "exportMembers", "Members of a group as a file", "Its own, not those of groups below it.",
      .exportPeople,
      [
        .query("groupSeq", JSONSchema.sequence, "GROUPSEQ, the number of the group.", isNeeded: true)
      ], "clientUid,clientName,joinedAt\r\nkim01,Kim,2026-11-21T09:30:00.123Z\r\n",
      problems: [.invalidField, .unknownGroup], AdminCall.exportMembers),
    export(
      "deliveries", "exportDeliveries", "What became of each device as a file",
      "Deliveries that have an outcome, or wait for their next try.", .exportPeople,
      [
        .query("seqno", JSONSchema.sequence, "SEQNO, the number of the message.", isNeeded: true)
      ],
      "device,clientUid,status,reason,attempts,at,receivedAt,readAt\r\n",
      problems: [.invalidField, .unknownMessage, .notKept], AdminCall.exportDeliveries),
    export(
      "audit", "exportAudit", "The audit log as a file", "Newest first.", .viewAudit, [.ofApp(isNeeded: false)],
      "entry,at,actor,role,origin,requestId,action,appId,object,before,after\r\n",
      problems: [.invalidField, .unknownApp], AdminCall.exportAudit),
  ]

  private static func export(
    _ what: String, _ id: String, _ summary: String, _ about: String, _ permission: Permission,
    _ parameters: [Parameter], _ example: String, problems: [Problem.Code],
    load: Load = .light, _ export: @escaping @Sendable (AdminCall) -> () throws(Problem) -> StreamSource
  ) -> Endpoint {
    Endpoint(
      .get, "/v1/admin/exports/\(what)", id: id, in: .people, summary,
      """
      \(about) Written while it is read. A cell that a spreadsheet would take for a formula has an apostrophe in front. \
      The export is itself in the audit log.
      """, by: .permission(permission), load: load, parameters: parameters,
      answers: [
        Answer(
          200, "UTF-8 with a byte order mark, the first line names the columns.", "PeopleFile", example: example,
          type: "text/csv")
      ], problems: problems, handler: .pieces(.export, export))
  }

  private static let imported = """
    {"importId":"9","appId":"com.example.bank","kind":"users","groupSeq":null,"skipErrors":true,"encoding":"UTF-8",\
    "state":"finished","parts":1,"lines":4,"imported":2,"rejected":1,"createdAt":"2026-11-21T09:30:00.123Z","createdBy":"kim@example.com",\
    "finishedAt":"2026-11-21T09:30:04.567Z"}
    """
}
