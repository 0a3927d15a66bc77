package import Domain
package import JSON
package import Postgres
package import Store

/// Saved segments: audiences by condition, under a name.
package enum Segmenting {
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

  /// One page, oldest first.
  package struct Page: JSONAnswer {
    package let items: [Entry]
    package let nextCursor: String?

    package func write(to writer: inout JSONWriter) {
      writer.member("items", array: { writer in for item in items { writer.object { item.write(to: &$0) } } })
      writer.member("nextCursor", nextCursor)
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
    let app = try self.app(appID, .manageAudiences, caller, connection)
    guard let name = change.name else { throw Problem(at: "/name", "is needed") }
    guard let conditions = change.conditions else { throw Problem(at: "/conditions", "is needed") }
    try check(change)
    return Entry(
      record: try connection.answer(
        Segments.create(
          app: app.number, name: name, conditions: String(decoding: conditions, as: UTF8.self), at: now)))
  }

  package static func list(
    _ appID: String, _ page: Reporting.PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Page {
    let app = try self.app(appID, .viewMessages, caller, connection)
    // One more than asked for tells whether there is a next page.
    var records = try connection.answer(
      Segments.list(app: app.number, after: try page.number(), limit: page.limit + 1))
    let hasMore = records.count > page.limit
    if hasMore { records.removeLast() }
    return Page(items: records.map(Entry.init), nextCursor: hasMore ? records.last.map { String($0.segment) } : nil)
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
    _ = try record(segment, .manageAudiences, caller, connection)
    guard change.name != nil || change.conditions != nil else {
      throw Problem(.impossible, "Give name, conditions or both.")
    }
    try check(change)
    let changed = try connection.answer(
      Segments.change(
        segment, name: change.name, conditions: change.conditions.map { String(decoding: $0, as: UTF8.self) }, at: now))
    guard let changed else { throw unknown(segment) }
    return Entry(record: changed)
  }

  package static func delete(_ segment: Int64, by caller: Caller, on connection: Connection) throws(Problem) {
    _ = try record(segment, .manageAudiences, caller, connection)
    try connection.answer(Segments.delete(segment))
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
    let app = try self.app(appID, .viewMessages, caller, connection)
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
        throw error.fields.first.map { Problem(at: "/conditions" + $0.pointer, $0.detail) }
          ?? Problem(at: "/conditions", error.detail)
      }
    }
  }

  private static func app(
    _ appID: String, _ permission: Permission, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> App {
    try caller.require(permission)
    let app = try connection.app(appID)
    try caller.require(permission, in: app)
    return app
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
