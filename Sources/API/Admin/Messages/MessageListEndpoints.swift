internal import Domain
internal import HTTPServer
internal import Operations

/// Messages page by page, and what failed of one.
extension AdminCall {
  /// `GET /v1/admin/messages?appId=&state=&lane=&from=&to=&limit=&cursor=`: newest first.
  func messages() throws(Problem) -> Response {
    let question = MessageListing.Question(
      appID: query["appId"], state: query["state"], lane: query["lane"],
      from: query["from"], to: query["to"])
    return .json(.ok, try MessageListing.list(question, try page(), by: caller, on: connection))
  }

  /// `GET /v1/admin/messages/{seqno}/failures?reason=&limit=&cursor=`: what ended rejected, expired or skipped.
  func failures() throws(Problem) -> Response {
    .json(
      .ok,
      try MessageListing.failures(
        of: try seqno(), reason: query["reason"], try page(), for: caller, on: connection))
  }
}
