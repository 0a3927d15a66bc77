internal import Domain
internal import HTTPServer
internal import Operations

/// `GET /v1/admin/messages/{seqno}`: the numbers of a message; `…/shards?limit=&cursor=`: how far its parts are.
extension AdminCall {
  func funnel() throws(Problem) -> Response {
    .json(.ok, try ReportService.funnel(try seqno(), for: caller, on: connection))
  }

  func shards() throws(Problem) -> Response {
    let page = try page()
    return .json(.ok, try ReportService.shards(of: try seqno(), page, for: caller, on: connection))
  }
}
