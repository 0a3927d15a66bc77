package import Domain
internal import JSON
package import Postgres
package import Store
package import Time

/// An export of a list as a CSV file, which `next` returns piece by piece, so that it is never in memory as a whole.
/// Each export is audited when it is created.
///
/// The file begins with a byte order mark, so that spreadsheets recognize UTF-8. A cell that a spreadsheet would run as
/// a formula is prefixed with an apostrophe, which an import removes again.
package struct CSVExport: Sendable {
  private enum List: Sendable {
    case users(App.Number, KeyRange, after: String)
    case members(App.Number, Groups.Number, after: String)
    case devices(App.Number, after: DeviceExport.Place)
    case deliveries(Seqno, OutcomeStatus?, reason: String?, after: DeliveryPages.Place)
    case failures(Seqno, reason: String?, after: DeliveryPages.Place)
    case audit(AuditLog.Filter, before: Int64)
    case statistics(StatisticsService.Report)
    case campaigns(RankingService.Checked, behind: CampaignRanking.Place)
  }

  private var list: List
  private var isBegun = false
  private var isDone = false

  /// Name of the file, without extension.
  package let name: String

  // MARK: Lists

  package static func users(
    of appID: String, prefix: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> CSVExport {
    let app = try find(appID, .exportPeople, caller, connection)
    // The beginning of a CUID may be all of it, and the log is kept for longer than the person's data.
    try audit("export.users", prefix.isEmpty ? "" : PersonRights.trace(prefix), app, caller, connection)
    return CSVExport(
      list: .users(app, KeyRange(prefix: UserKey(clientUID: prefix).text), after: ""), name: "users-\(appID)")
  }

  package static func members(
    of group: Groups.Number, by caller: Caller, on connection: Connection
  ) throws(Problem) -> CSVExport {
    try caller.require(.exportPeople)
    let app = try GroupService.group(group, by: caller, on: connection).record.app
    try audit("export.members", String(group), app, caller, connection)
    return CSVExport(list: .members(app, group, after: ""), name: "members-\(group)")
  }

  /// Creates the export of an app's active devices, without their tokens.
  package static func devices(
    of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> CSVExport {
    let app = try find(appID, .exportPeople, caller, connection)
    try audit("export.devices", "", app, caller, connection)
    return CSVExport(list: .devices(app, after: .start), name: "devices-\(appID)")
  }

  /// Selects the deliveries that failed: rejected, expired and skipped ones.
  private static let failed = "failed"

  /// Words by which deliveries can be selected: the names of all statuses, and `failed`.
  package static let deliveryStatuses = OutcomeStatus.allCases.map(\.name) + [failed]

  /// Creates the export of a message's deliveries.
  /// - Parameters:
  ///   - status: one of `deliveryStatuses`; nil for all.
  ///   - reason: only deliveries with this reason; nil for all.
  /// - Throws: `.invalidField` for any other status; `.unknownMessage`, also if the caller may not access its app;
  ///   `.notKept` if the deliveries are no longer stored.
  package static func deliveries(
    of seqno: Seqno, status: String?, reason: String?, by caller: Caller, on connection: Connection
  ) throws(Problem) -> CSVExport {
    try caller.require(.exportPeople)
    let found = try ReportService.find(seqno, for: caller, on: connection).found
    if !found.isKept { throw ReportService.notKept(seqno) }
    let word = try MessageListing.word(status, "status", deliveryStatuses) { $0 }
    try audit(
      "export.deliveries", String(seqno), found.app, filter: [("status", word), ("reason", reason)], caller, connection)
    let known = OutcomeStatus.allCases.first { $0.name == word }
    let list: List =
      word == failed
      ? .failures(seqno, reason: reason, after: .start) : .deliveries(seqno, known, reason: reason, after: .start)
    return CSVExport(list: list, name: "deliveries-\(seqno)")
  }

  /// Creates the export of the audit entries that a question selects.
  /// - Throws: as `AuditTrail.list`.
  package static func audit(
    _ question: AuditTrail.Question, by caller: Caller, on connection: Connection
  ) throws(Problem) -> CSVExport {
    let filter = try AuditTrail.filter(question, by: caller, on: connection)
    // The object may be a CUID, which no entry names.
    try audit(
      "export.audit", "", filter.app,
      filter: [
        ("action", question.action), ("actor", question.actor), ("object", question.object.map(PersonRights.trace)),
      ], caller, connection)
    // Entries that are added from now on would move the windows in which entries are searched.
    let newest = try connection.answer(AuditLog.last())
    return CSVExport(list: .audit(filter, before: newest + 1), name: "audit")
  }

  /// Computes a statistics report and creates its export.
  /// - Parameter now: the end of the report if the question has no `to`.
  /// - Throws: as `StatisticsService.report`.
  package static func statistics(
    _ question: StatisticsService.Question, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> CSVExport {
    let report = try StatisticsService.report(question, by: caller, on: connection, now: now)
    let app = try Administration.scope(question.appID, .viewMessages, caller, connection)
    try audit("export.statistics", report.unit.rawValue, app, caller, connection)
    return CSVExport(list: .statistics(report), name: "statistics")
  }

  package static func campaigns(
    _ question: RankingService.Question, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> CSVExport {
    let checked = try RankingService.check(question, by: caller, on: connection, now: now)
    let app = try Administration.scope(question.appID, .viewMessages, caller, connection)
    try audit("export.campaigns", checked.order.rawValue, app, caller, connection)
    return CSVExport(list: .campaigns(checked, behind: .first), name: "campaigns")
  }

  private init(list: List, name: String) {
    self.list = list
    self.name = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) ? $0 : "_" })
  }

  private static func find(
    _ appID: String, _ permission: Permission, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> App.Number {
    let app = try connection.app(appID)
    try caller.require(permission, in: app)
    return app.number
  }

  /// Writes the audit entry of an export.
  /// - Parameter filter: the conditions that limit the export, by name; nil for one that was not given.
  private static func audit(
    _ action: String, _ object: String, _ app: App.Number?, filter: [(name: String, value: String?)] = [],
    _ caller: Caller, _ connection: Connection
  ) throws(Problem) {
    var change = AuditTrail.Change(action, object, app: app)
    if filter.contains(where: { $0.value != nil }) {
      change = change.to { writer in
        for (name, value) in filter where value != nil { writer.member(name, value) }
      }
    }
    try connection.answer(AuditTrail.add(change, by: caller))
  }

  // MARK: Writing

  /// Returns the next piece of the file, with up to `exportRows` rows (all rows of a statistics report); nil at the
  /// end. The first piece begins with the byte order mark and the header line; later ones can be empty, and still be
  /// followed by others. After an error, the same piece can be requested again.
  package mutating func next(on connection: Connection) throws(Problem) -> [UInt8]? {
    guard !isDone else { return nil }
    var writer = CSVWriter()
    if !isBegun { writer.begin(header) }
    try write(to: &writer, connection)
    isBegun = true
    return writer.bytes
  }

  private var header: [String] {
    switch list {
    case .users: ["clientUid", "clientName", "groupSeqs", "tags", "badge", "devices"]
    case .members: ["clientUid", "clientName", "joinedAt"]
    case .devices: DeviceExport.columns
    case .deliveries, .failures: ["device", "clientUid", "status", "reason", "attempts", "at", "receivedAt", "readAt"]
    case .audit:
      ["entryId", "at", "actor", "role", "origin", "requestId", "action", "appId", "object", "before", "after"]
    case .statistics(let report):
      ["at", "localTime", "timeZone", "by"] + (report.division == .none ? [] : [report.division.member])
        + ["accepted", "rejected", "expired", "cancelled", "skipped", "received", "read", "joined", "left"]
    case .campaigns:
      ["seqno", "appId", "kind", "title", "sender", "createdAt", "targeted", "accepted", "received", "read"]
    }
  }

  private mutating func write(to writer: inout CSVWriter, _ connection: Connection) throws(Problem) {
    let limit = Operations.Limits.exportRows
    let count: Int
    // True if a search has ended before it found as many rows as the piece may have.
    var isUnfinished = false
    switch list {
    case .users(let app, let range, let after):
      count = try writeUsers(of: app, range, after: after, to: &writer, connection)
    case .members(let app, let group, let after):
      let members = try connection.answer(GroupTree.members(of: group, app: app, after: after, limit: limit))
      for member in members {
        writer.row([member.userKey.description, member.name, member.joinedAt.description])
      }
      if let last = members.last { list = .members(app, group, after: last.userKey.text) }
      count = members.count
    case .devices(let app, let after):
      let page = try connection.answer(DeviceExport.page(of: app, after: after, limit: limit))
      for row in page.rows { writer.row(row) }
      list = .devices(app, after: page.last)
      count = page.rows.count
    case .deliveries(let seqno, let status, let reason, let after):
      count = try writeDeliveries(of: seqno, status, reason, after: after, to: &writer, connection)
    case .failures(let seqno, let reason, let after):
      let (failures, rest) = try connection.answer { () throws(PostgresError) in
        try DeliveryPages.failures(
          of: seqno, after: after, reason: reason, window: Operations.Limits.searchedRows, limit: limit,
          on: connection)
      }
      for failure in failures { writer.write(failure) }
      if let place = rest ?? failures.last?.place { list = .failures(seqno, reason: reason, after: place) }
      isUnfinished = rest != nil
      count = failures.count
    case .audit(let filter, let before):
      // Without a criterion, each entry that is searched is found.
      let isSearch = filter.action != nil || filter.actor != nil || filter.object != nil
      let window = isSearch ? Operations.Limits.searchedRows : limit
      let found = try connection.answer(
        AuditLog.list(filter, before: before, window: window, bytes: Operations.Limits.pageBytes, limit: limit))
      var edge: Int64?
      if isSearch, found.records.count < limit, !found.isCut {
        edge = try connection.answer(AuditLog.edge(filter, before: before, window: window))
      }
      for record in found.records {
        writer.row([
          String(record.entry), record.at.description, record.actor, record.role, record.origin, record.requestID,
          record.action, record.appID, record.object, record.before, record.after,
        ])
      }
      if let place = edge ?? found.records.last?.entry { list = .audit(filter, before: place) }
      isUnfinished = edge != nil || found.isCut
      count = found.records.count
    case .statistics(let report):
      writer.write(report)
      count = 0
    case .campaigns(let checked, let place):
      let rows = try RankingService.rows(checked, behind: place, limit: limit, on: connection)
      for row in rows { writer.write(row) }
      if let last = rows.last { list = .campaigns(checked, behind: last.place) }
      count = rows.count
    }
    isDone = count < limit && !isUnfinished
  }

  /// Returns how many users were written.
  private mutating func writeUsers(
    of app: App.Number, _ range: KeyRange, after: String, to writer: inout CSVWriter, _ connection: Connection
  ) throws(Problem) -> Int {
    let limit = Operations.Limits.exportRows
    let users = try connection.answer(
      ImportedPeople.lines(of: app, after: after, from: range.from, upto: range.upto, limit: limit))
    for user in users {
      writer.row([
        user.user.clientUID, user.name, user.groups, user.tags, String(user.badge), String(user.devices),
      ])
    }
    if let last = users.last { list = .users(app, range, after: last.user.text) }
    return users.count
  }

  /// Returns how many deliveries were read, of which those with another reason are not written.
  private mutating func writeDeliveries(
    of seqno: Seqno, _ status: OutcomeStatus?, _ reason: String?, after: DeliveryPages.Place,
    to writer: inout CSVWriter, _ connection: Connection
  ) throws(Problem) -> Int {
    let limit = Operations.Limits.exportRows
    let deliveries = try connection.answer { () throws(PostgresError) in
      try DeliveryPages.next(of: seqno, after: after, status: status, limit: limit, on: connection)
    }
    for delivery in deliveries where reason == nil || delivery.reason == reason { writer.write(delivery) }
    if let last = deliveries.last { list = .deliveries(seqno, status, reason: reason, after: last.place) }
    return deliveries.count
  }
}

extension CSVWriter {
  fileprivate mutating func write(_ delivery: DeliveryPages.Delivery) {
    row([
      delivery.device.description, delivery.userKey.clientUID, delivery.status.name, delivery.reason,
      String(delivery.attempts), delivery.at.description, delivery.receivedAt.map(\.description),
      delivery.readAt.map(\.description),
    ])
  }
}

extension Operations.Limits {
  /// Maximum number of rows per piece of an export: a few hundred kilobytes, which take a few milliseconds. Does not
  /// apply to statistics reports, which have their own limit (`reportRows`).
  static let exportRows = 2_000
}
