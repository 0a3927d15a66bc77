package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Manages saved segments: named audiences defined by conditions.
package enum SegmentService {
  package struct Entry: DescribedAnswer {
    package let record: Segments.Record

    package static let object = JSONObject<Entry>(
      "SavedSegment",
      [
        .always("segmentId", .sequence, \.record.segment, "Its number."), .always("name", .anyText, \.record.name),
        .always("conditions", conditionsForm, { Array($0.record.conditions.utf8) }),
        .always("createdAt", .moment, \.record.createdAt), .always("updatedAt", .moment, \.record.updatedAt),
      ])
  }

  package struct Count: DescribedAnswer {
    package let devices: Int64

    package static let object = JSONObject<Count>(
      "DeviceCount", [.always("devices", .count, \.devices, "Devices, each counted once.")])
  }

  private static let conditionsForm = JSONForm.raw(JSONSchema.reference("Segment"))
  private static let nameForm = JSONForm.text(upTo: Domain.Limits.segmentNameBytes)

  package struct New: Sendable {
    var appID = ""
    var name = ""
    /// The conditions as JSON.
    var conditions: [UInt8] = []

    package init() {}

    package static let object = JSONObject(
      "NewSegment", from: New(),
      [
        .required("appId", .appID, \.appID), .required("name", nameForm, \.name),
        .required("conditions", conditionsForm, \.conditions),
      ])
  }

  /// An unsaved segment, whose devices are to be counted.
  package struct Draft: Sendable {
    var appID = ""
    /// The conditions as JSON.
    var conditions: [UInt8] = []

    package init(appID: String = "", conditions: [UInt8] = []) {
      self.appID = appID
      self.conditions = conditions
    }

    package static let object = JSONObject(
      "SegmentDraft", from: Draft(),
      [
        .required("appId", .appID, \.appID), .required("conditions", conditionsForm, \.conditions),
        .refused("name", "is not needed to count"),
      ])
  }

  /// Changes to a segment; nil fields stay as they are.
  package struct Change: Sendable {
    var name: String?
    /// The conditions as JSON; nil to leave them unchanged.
    var conditions: [UInt8]?

    package init() {}

    package static let object = JSONObject(
      "SegmentChange", from: Change(), more: [("minProperties", .number(1))],
      [
        .given("name", nameForm, \.name), .given("conditions", conditionsForm, \.conditions),
        .refused("appId", "cannot be changed"),
      ])
  }

  package static func create(
    _ new: New, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Entry {
    let app = try connection.app(new.appID, allowing: caller, to: .manageAudiences)
    try check(new.conditions)
    return try connection.commit { () throws(PostgresError) in
      let record = try connection.run(
        Segments.create(
          app: app.number, name: new.name, conditions: String(decoding: new.conditions, as: UTF8.self), at: now))
      let created = AuditTrail.Change("segment.create", new.name, in: app).to { record.writeSettings(to: &$0) }
      try connection.run(AuditTrail.add(created, by: caller))
      return Entry(record: record)
    }
  }

  /// Lists an app's saved segments, oldest first.
  /// - Throws: `.forbidden`, `.unknownApp`, `.invalidField` for another list's cursor.
  package static func list(
    _ appID: String, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .viewMessages)
    let found = try connection.answer(
      Segments.list(
        app: app.number, after: try page.number(first: 0), bytes: Operations.Limits.pageBytes, limit: page.limit + 1))
    return ItemPage(found.records.map(Entry.init), limit: page.limit, isCut: found.isCut) { String($0.record.segment) }
  }

  package static func find(
    _ segment: Int64, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    Entry(record: try record(segment, .viewMessages, caller, connection))
  }

  /// Changes a segment and audits that. Messages already accepted keep its former conditions.
  /// - Throws: `.unknownSegment` if the segment does not exist or the caller may not access its app; `.impossible` if
  ///   `change` is empty; `.invalidField` or `.impossible` for invalid conditions; `.conflict` if the name is taken or
  ///   the app is being deleted; `.forbidden`.
  package static func change(
    _ segment: Int64, _ change: Change, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Entry {
    _ = try record(segment, .manageAudiences, caller, connection)
    guard change.name != nil || change.conditions != nil else {
      throw Problem(.impossible, "Give name, conditions or both.")
    }
    if let conditions = change.conditions { try check(conditions) }
    let changed = try connection.commit { () throws(PostgresError) -> Segments.Record? in
      guard let before = try connection.run(Segments.lock(segment)) else { return nil }
      let after = try connection.run(
        Segments.change(
          segment, name: change.name, conditions: change.conditions.map { String(decoding: $0, as: UTF8.self) },
          at: now))
      guard let after else { return nil }
      let audited = AuditTrail.Change("segment.change", before.name, app: before.app)
        .from { before.writeSettings(to: &$0) }.to { after.writeSettings(to: &$0) }
      try connection.run(AuditTrail.add(audited, by: caller))
      return after
    }
    guard let changed else { throw unknown(segment) }
    return Entry(record: changed)
  }

  package static func delete(_ segment: Int64, by caller: Caller, on connection: Connection) throws(Problem) {
    _ = try record(segment, .manageAudiences, caller, connection)
    let isThere = try connection.commit { () throws(PostgresError) in
      guard let before = try connection.run(Segments.lock(segment)) else { return false }
      try connection.run(Segments.delete(segment))
      let deleted = AuditTrail.Change("segment.delete", before.name, app: before.app)
        .from { before.writeSettings(to: &$0) }
      try connection.run(AuditTrail.add(deleted, by: caller))
      return true
    }
    guard isThere else { throw unknown(segment) }
  }

  // MARK: Counting

  /// Counts the devices that a saved segment matches now. This reads all these devices, so it can take long in a large
  /// app.
  /// - Throws: `.unknownSegment` if the segment does not exist or the caller may not access its app; `.forbidden`.
  package static func count(
    _ segment: Int64, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Count {
    let record = try record(segment, .viewMessages, caller, connection)
    return try count(try Segment(json: Array(record.conditions.utf8)), record.app, connection, now)
  }

  /// Counts the devices that an unsaved segment matches now. This reads all these devices, so it can take long in a
  /// large app.
  /// - Throws: the problem of invalid conditions, `.forbidden`, `.unknownApp`.
  package static func count(
    _ draft: Draft, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Count {
    let app = try connection.app(draft.appID, allowing: caller, to: .viewMessages)
    return try count(try Segment(json: draft.conditions), app.number, connection, now)
  }

  private static func count(
    _ segment: Segment, _ app: App.Number, _ connection: Connection, _ now: Timestamp
  ) throws(Problem) -> Count {
    Count(
      devices: try connection.answer(
        Segments.count(segment, app: app, after: "", upto: "v", frozenAt: now, limit: .max)))
  }

  // MARK: Internals

  /// Validates conditions.
  /// - Throws: the problem of the first invalid condition, with its position in the body, below `/conditions`.
  private static func check(_ conditions: [UInt8]) throws(Problem) {
    guard conditions.count <= Operations.Limits.segmentBytes else {
      throw Problem(.impossible, at: "/conditions", "must have at most \(Operations.Limits.segmentBytes) bytes")
    }
    do throws(Problem) {
      _ = try Segment(json: conditions)
    } catch {
      throw error.fields.first.map { Problem(error.code, at: "/conditions" + $0.pointer, $0.sentence) }
        ?? Problem(at: "/conditions", error.sentence)
    }
  }

  private static func record(
    _ segment: Int64, _ permission: Permission, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> Segments.Record {
    try caller.require(permission)
    // Report segments of other apps as nonexistent.
    guard let record = try connection.answer(Segments.find(segment)), caller.reaches(record.app) else {
      throw unknown(segment)
    }
    return record
  }

  private static func unknown(_ segment: Int64) -> Problem {
    Problem(.unknownSegment, "There is no segment \(segment).")
  }
}

extension Operations.Limits {
  /// Maximum size of a saved segment's conditions in bytes: `segmentValues` of the longest CUIDs.
  static let segmentBytes = 262_144
}

extension Segments.Record {
  /// Writes the settings that are audited.
  fileprivate func writeSettings(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("conditions", raw: conditions)
  }
}
