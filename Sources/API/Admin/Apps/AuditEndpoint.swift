internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoint that lists the audit log.
extension Endpoint {
  static let audit: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/audit", id: "listAudit", in: .administration, "See who did what",
      """
      Newest first. Nobody can change an entry. Sends to named users by an API key are not in it: their message says who \
      sent what.
      """, by: .permission(.viewAudit), load: .heavy,
      parameters: auditParameters + [.limit, .cursor],
      answers: [
        Answer(
          200, "A page of entries. It may hold fewer than asked for, also none, and still have a next.",
          ItemPage<AuditTrail.Entry>.object,
          example: Answer.page(
            """
            {"entryId":"17","at":"2026-11-21T09:30:00.123Z","actor":"CRM","by":"api-key","apiKeyId":"3","accountId":null,\
            "role":"admin","origin":"192.0.2.7","requestId":"8f3a0c5d2b7e4196","action":"app.change",\
            "appId":"com.example.bank","object":"com.example.bank","before":{"name":"Bank"},"after":{"name":"Our Bank"}}
            """))
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.audit))
  ]

  /// Query parameters of the audit log, without those of pages. The export of it has the same.
  static let auditParameters: [Parameter] = [
    .ofApp(isNeeded: false),
    .query("action", JSONSchema.givenText, "`app.change`, or `app` for all that happened to apps."),
    .query("actor", JSONSchema.givenText, "The name of a key or account."),
    .query(
      "object", JSONSchema.givenText,
      "What was changed, as its lists name it; a user by the CUID, although entries have only a hash of it."),
  ]

  /// The named schemas that this endpoint adds to the OpenAPI document (`Schemas`), in the document's order.
  static let auditSchemas: [JSONTree.Member] = [
    ItemPage<AuditTrail.Entry>.object.named, AuditTrail.Entry.settingsSchema,
  ]
}

extension AdminCall {
  fileprivate func audit() throws(Problem) -> Response {
    .json(.ok, try AuditTrail.list(auditQuestion, try page(), by: caller, on: connection))
  }

  var auditQuestion: AuditTrail.Question {
    AuditTrail.Question(
      appID: query["appId"], action: query["action"], actor: query["actor"], object: query["object"])
  }
}
