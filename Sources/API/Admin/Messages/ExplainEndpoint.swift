internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// `GET /v1/admin/messages/{seqno}/users/{clientUid}/explain`: the story of one message for one person, in English, or in
/// Korean where `Accept-Language` prefers it.
extension AdminCall {
  func explain() throws(Problem) -> Response {
    let answer = try ExplanationService.explain(
      try seqno(), for: parameters["clientUid"], language: request.header("accept-language"), by: caller,
      on: connection)
    var response = Response.json(.ok, answer)
    response.headers.append(("Vary", "Accept-Language"))
    return response
  }
}
