internal import Domain
internal import HTTPServer
internal import Operations

/// Live answers, streamed as server-sent events.
extension AdminCall {
  /// `GET /v1/admin/messages/{seqno}/events`: sends the message's funnel, and sends it again whenever it changes.
  func watchMessage() throws(Problem) -> StreamSource {
    let seqno = try seqno()
    _ = try ReportService.funnel(seqno, for: caller, on: connection)
    return .funnel(seqno: seqno)
  }

  /// `GET /v1/admin/overview/events?appId=`: sends the numbers of the dashboard, and sends them again whenever they
  /// change.
  func watchOverview() throws(Problem) -> StreamSource {
    .overview(try Overview.scope(query["appId"], by: caller, on: connection))
  }
}
