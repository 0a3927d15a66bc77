internal import Domain
internal import HTTPServer
internal import Operations

/// Live answers, streamed as server-sent events.
extension AdminCall {
  /// `GET /v1/admin/messages/{seqno}/events`: the funnel, at each change.
  func watchMessage() throws(Problem) -> StreamSource {
    let seqno = try seqno()
    _ = try ReportService.funnel(seqno, for: caller, on: connection)
    return .funnel(seqno: seqno)
  }

  /// `GET /v1/admin/overview/events?appId=`: what the dashboard shows, at each change.
  func watchOverview() throws(Problem) -> StreamSource {
    .overview(try Overview.scope(query["appId"], by: caller, on: connection))
  }
}
