internal import Domain
internal import HTTPServer
internal import Operations

/// `GET /v1/admin/messages/{seqno}`: the numbers of a message.
extension AdminCall {
  func funnel() throws(Problem) -> Response {
    .json(.ok, try Reporting.funnel(try seqno(), for: caller, on: connection))
  }
}
