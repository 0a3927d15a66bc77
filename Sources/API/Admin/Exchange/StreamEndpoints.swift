internal import Domain
internal import HTTPServer
internal import Operations

/// Endpoints of live views: they check that the caller may see the numbers, which are then streamed as server-sent
/// events.
extension AdminCall {
  /// `GET /v1/admin/messages/{seqno}/events`: streams the numbers of a message now and whenever they change. Throws
  /// `.unknownMessage` if there is no such message that the caller may see.
  func watchMessage() throws(Problem) -> StreamSource {
    let seqno = try seqno()
    _ = try ReportService.funnel(seqno, for: caller, on: connection)
    return .funnel(seqno: seqno)
  }

  /// `GET /v1/admin/overview/events?appId=`: streams the numbers of the dashboard now and whenever they change, for one
  /// app, or without `appId` for all apps that the caller may see. Throws `.unknownApp` if there is no such app, and
  /// `.forbidden` if the caller may not see it.
  func watchOverview() throws(Problem) -> StreamSource {
    .overview(try Overview.scope(query["appId"], by: caller, on: connection))
  }
}
