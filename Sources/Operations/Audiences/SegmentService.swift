package import Domain
package import JSON
package import Postgres
package import Store

/// Saved segments: audiences by condition, under a name.
package enum SegmentService {
  package struct Entry: JSONAnswer {
    package let record: Segments.Record

    package func write(to writer: inout JSONWriter) {
      writer.member("segment", String(record.segment))
      writer.member("name", record.name)
      writer.member("conditions", raw: Array(record.conditions.utf8))
      writer.member("createdAt", Timestamp.text(record.createdAt))
      writer.member("updatedAt", Timestamp.text(record.updatedAt))
    }
  }

  package struct Count: JSONAnswer {
    package let devices: Int64

    package func write(to writer: inout JSONWriter) {
      writer.member("devices", devices)
    }
  }

  /// What a segment is to be; nil leaves what is there.
  package struct Change: Sendable {
    package var name: String?
    /// JSON.
    package var conditions: [UInt8]?

    package init() {}
  }

  package static func create(
    _ change: Change, of appID: String, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID, allowing: caller, to: .manageAudiences)
    guard let name = change.name else { throw Problem(at: "/name", "is needed") }
    guard let conditions = change.conditions else { throw Problem(at: "/conditions", "is needed") }
    try check(change)
    return try connection.commit { () throws(PostgresError) in
      let record = try connection.run(
        Segments.create(app: app.number, name: name, conditions: String(decoding: conditions, as: UTF8.self), at: now))
      let created = AuditTrail.Change("segment.create", name, in: app).to { record.writeSettings(to: &$0) }
      try connection.run(AuditTrail.add(created, by: caller))
      return Entry(record: record)
    }
  }

  /// Oldest first.
  package static func list(
    _ appID: String, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .viewMessages)
    let records = try connection.answer(
      Segments.list(app: app.number, after: try page.number(first: 0), limit: page.limit + 1))
    return ItemPage(records.map(Entry.init), limit: page.limit) { String($0.record.segment) }
  }

  package static func find(
    _ segment: Int64, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    Entry(record: try record(segment, .viewMessages, caller, connection))
  }

  /// Messages that were accepted keep what the segment said then.
  package static func change(
    _ segment: Int64, _ change: Change, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> Entry {
    let before = try record(segment, .manageAudiences, caller, connection)
    guard change.name != nil || change.conditions != nil else {
      throw Problem(.impossible, "Give name, conditions or both.")
    }
    try check(change)
    let changed = try connection.commit { () throws(PostgresError) -> Segments.Record? in
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
    let before = try record(segment, .manageAudiences, caller, connection)
    try connection.commit { () throws(PostgresError) in
      try connection.run(Segments.delete(segment))
      let deleted = AuditTrail.Change("segment.delete", before.name, app: before.app)
        .from { before.writeSettings(to: &$0) }
      try connection.run(AuditTrail.add(deleted, by: caller))
    }
  }

  // MARK: Counting

  /// How many devices a saved segment has now.
  package static func count(
    _ segment: Int64, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> Count {
    let record = try record(segment, .viewMessages, caller, connection)
    return try count(try Segment(json: Array(record.conditions.utf8)), record.app, connection, now)
  }

  /// The same for one that is not saved.
  package static func count(
    conditions: [UInt8], of appID: String, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> Count {
    let app = try connection.app(appID, allowing: caller, to: .viewMessages)
    return try count(try Segment(json: conditions), app.number, connection, now)
  }

  private static func count(
    _ segment: Segment, _ app: App.Number, _ connection: Connection, _ now: Int64
  ) throws(Problem) -> Count {
    Count(
      devices: try connection.answer(
        Segments.count(segment, app: app, after: "", upto: "v", frozenAt: now, limit: .max)))
  }

  // MARK: Inside

  private static func check(_ change: Change) throws(Problem) {
    if let name = change.name {
      guard !name.isEmpty, name.utf8.count <= Domain.Limits.segmentNameBytes else {
        throw Problem(at: "/name", "must have 1 to \(Domain.Limits.segmentNameBytes) bytes")
      }
    }
    if let conditions = change.conditions {
      do throws(Problem) {
        _ = try Segment(json: conditions)
      } catch {
        throw error.fields.first.map { Problem(error.code, at: "/conditions" + $0.pointer, $0.detail) }
          ?? Problem(at: "/conditions", error.detail)
      }
    }
  }

  private static func record(
    _ segment: Int64, _ permission: Permission, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> Segments.Record {
    try caller.require(permission)
    // To a caller of another app the segment does not exist.
    guard let record = try connection.answer(Segments.find(segment)), caller.reaches(record.app) else {
      throw unknown(segment)
    }
    return record
  }

  private static func unknown(_ segment: Int64) -> Problem {
    Problem(.unknownSegment, "There is no segment \(segment).")
  }
}

extension Segments.Record {
  /// What operators decide.
  fileprivate func writeSettings(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("conditions", raw: Array(conditions.utf8))
  }
}
