internal import Domain
internal import HTTPServer
internal import Operations

/// Answers in pieces.
extension AdminCall {
  /// `GET /v1/admin/messages/{seqno}/events`: the funnel whenever it changes.
  func watchMessage() throws(Problem) -> StreamSource {
    let seqno = try seqno()
    _ = try ReportService.funnel(seqno, for: caller, on: connection)
    return .funnel(seqno: seqno)
  }

  /// `GET /v1/admin/overview/events?appId=`: what the dashboard shows, whenever it changes.
  func watchOverview() throws(Problem) -> StreamSource {
    .overview(try Overview.scope(query["appId"], by: caller, on: connection))
  }
}
