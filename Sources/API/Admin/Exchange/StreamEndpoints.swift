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

  /// `GET /v1/admin/exports/users?appId=&prefix=`.
  func exportUsers() throws(Problem) -> StreamSource {
    .file(
      try CSVExport.users(
        of: try required("appId"), prefix: query["prefix"] ?? "", by: caller, on: connection))
  }

  /// `GET /v1/admin/exports/members?groupSeq=`.
  func exportMembers() throws(Problem) -> StreamSource {
    guard let group = Int64(try required("groupSeq")) else {
      throw Problem(.unknownGroup, "A GROUPSEQ is a whole number, as lists show it.")
    }
    return .file(try CSVExport.members(of: group, by: caller, on: connection))
  }

  /// `GET /v1/admin/exports/deliveries?seqno=`.
  func exportDeliveries() throws(Problem) -> StreamSource {
    guard let seqno = SequenceNumber.parse(try required("seqno")) else {
      throw Problem(.unknownMessage, "A SEQNO is a whole number, as the send answered it.")
    }
    return .file(try CSVExport.deliveries(of: seqno, by: caller, on: connection))
  }

  /// `GET /v1/admin/exports/audit?appId=`.
  func exportAudit() throws(Problem) -> StreamSource {
    .file(try CSVExport.audit(of: query["appId"], by: caller, on: connection))
  }
}
