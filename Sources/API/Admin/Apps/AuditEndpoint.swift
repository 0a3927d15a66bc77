internal import Domain
internal import HTTPServer
internal import Operations

/// Who did what.
extension AdminCall {
  /// `GET /v1/admin/audit?appId=&action=&actor=&object=&limit=&cursor=`: newest first.
  func audit() throws(Problem) -> Response {
    let question = AuditTrail.Question(
      appID: query["appId"], action: query["action"], actor: query["actor"],
      object: query["object"])
    return .json(.ok, try AuditTrail.list(question, try page(), by: caller, on: connection))
  }
}
