internal import Domain
internal import HTTPServer
internal import Operations

/// `GET /v1/admin/messages/{seqno}/deliveries?limit=&cursor=&status=`: what became of each device, page by page.
extension AdminCall {
  func deliveries() throws(Problem) -> Response {
    let page = try PageRequest(limit: query["limit"], cursor: query["cursor"], status: query["status"])
    return .json(.ok, try ReportService.deliveries(of: try seqno(), page, for: caller, on: connection))
  }
}
