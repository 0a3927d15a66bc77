internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for exports as CSV files: of people, deliveries, the audit log, statistics and campaigns.
extension Endpoint {
  static let exports: [Endpoint] = [
    export(
      "users", "exportUsers", "Users as a file", "By CUID, or those whose CUID begins so. It can be imported again.",
      .exportPeople,
      [.ofApp(), .query("prefix", JSONSchema.givenText, "How the CUID begins.")],
      "clientUid,clientName,groupSeqs,tags,badge,devices\r\nkim01,Kim,12,vip,2,1\r\n",
      problems: [.invalidField, .unknownApp], load: .heavy, AdminCall.exportUsers),
    export(
      "members", "exportMembers", "Members of a group as a file", "Its own, not those of groups below it.",
      .exportPeople,
      [
        .query("groupSeq", JSONSchema.sequence, "GROUPSEQ, the number of the group.", isNeeded: true)
      ], "clientUid,clientName,joinedAt\r\nkim01,Kim,2026-11-21T09:30:00.123Z\r\n",
      problems: [.invalidField, .unknownGroup], AdminCall.exportMembers),
    export(
      "devices", "exportDevices", "Devices as a file", "The active devices of an app, without their push tokens.",
      .exportPeople, [.ofApp()], "device,clientUid,network,environment,deviceId,platform,model,osVersion\r\n",
      problems: [.invalidField, .unknownApp], load: .heavy, AdminCall.exportDevices),
    export(
      "deliveries", "exportDeliveries", "What became of each device as a file",
      "Deliveries that have an outcome, or wait for their next try.", .exportPeople,
      [
        .query("seqno", JSONSchema.sequence, "SEQNO, the number of the message.", isNeeded: true),
        .query(
          "status", JSONSchema.words(CSVExport.deliveryStatuses),
          "Only those in this state; `failed`: those that ended rejected, expired or skipped."),
        .query("reason", JSONSchema.givenText, "Only those with this reason, as the funnel names it."),
      ],
      "device,clientUid,status,reason,attempts,at,receivedAt,readAt\r\n",
      problems: [.invalidField, .unknownMessage, .notKept], AdminCall.exportDeliveries),
    export(
      "audit", "exportAudit", "The audit log as a file", "The entries of `GET /v1/admin/audit`, newest first.",
      .viewAudit, auditParameters,
      "entryId,at,actor,role,origin,requestId,action,appId,object,before,after\r\n",
      problems: [.invalidField, .unknownApp], AdminCall.exportAudit),
    export(
      "statistics", "exportStatistics", "Statistics as a file",
      "The rows of `GET /v1/admin/statistics`, with their start in UTC and on the app's clock.", .viewMessages,
      reportParameters,
      "at,localTime,timeZone,by,accepted,rejected,expired,cancelled,skipped,received,read,joined,left\r\n",
      problems: [.invalidField, .unknownApp, .impossible], load: .heavy, AdminCall.exportStatistics),
    export(
      "campaigns", "exportCampaigns", "The ranking of campaigns as a file", "All pages of it.", .viewMessages,
      rankingParameters,
      "seqno,appId,kind,title,sender,createdAt,targeted,accepted,received,read\r\n",
      problems: [.invalidField, .unknownApp, .impossible], load: .heavy, AdminCall.exportCampaigns),
  ]

  private static func export(
    _ what: String, _ id: String, _ summary: String, _ about: String, _ permission: Permission,
    _ parameters: [Parameter], _ example: String, problems: [Problem.Code],
    load: Load = .light, _ export: @escaping @Sendable (AdminCall) -> () throws(Problem) -> StreamSource
  ) -> Endpoint {
    Endpoint(
      .get, "/v1/admin/exports/\(what)", id: id, in: .people, summary,
      """
      \(about) Written while it is read. A cell that a spreadsheet would take for a formula has an apostrophe in front. \
      The export is itself in the audit log, with what limits it.
      """, by: .permission(permission), load: load, parameters: parameters,
      answers: [
        Answer(
          200, "UTF-8 with a byte order mark, the first line names the columns.", "PeopleFile", example: example,
          type: "text/csv")
      ], problems: problems, handler: .pieces(.export, export))
  }
}

extension AdminCall {
  fileprivate func exportUsers() throws(Problem) -> StreamSource {
    .file(
      try CSVExport.users(
        of: try required("appId"), prefix: query["prefix"] ?? "", by: caller, on: connection))
  }

  fileprivate func exportMembers() throws(Problem) -> StreamSource {
    guard let group = Int64(try required("groupSeq")) else {
      throw Problem(.unknownGroup, "A GROUPSEQ is a whole number, as lists show it.")
    }
    return .file(try CSVExport.members(of: group, by: caller, on: connection))
  }

  fileprivate func exportDevices() throws(Problem) -> StreamSource {
    .file(try CSVExport.devices(of: try required("appId"), by: caller, on: connection))
  }

  fileprivate func exportDeliveries() throws(Problem) -> StreamSource {
    .file(
      try CSVExport.deliveries(
        of: try Self.seqno(try required("seqno")), status: query["status"], reason: query["reason"], by: caller,
        on: connection))
  }

  fileprivate func exportStatistics() throws(Problem) -> StreamSource {
    .file(try CSVExport.statistics(reportQuestion, by: caller, on: connection, now: now))
  }

  fileprivate func exportCampaigns() throws(Problem) -> StreamSource {
    .file(try CSVExport.campaigns(rankingQuestion, by: caller, on: connection, now: now))
  }

  fileprivate func exportAudit() throws(Problem) -> StreamSource {
    .file(try CSVExport.audit(auditQuestion, by: caller, on: connection))
  }
}
