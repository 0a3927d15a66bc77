internal import Crypto
package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Imports users, members of a group or tags of devices from a file in parts, so that a file of any size shows progress
/// and an interrupted import can continue.
///
/// ```
///   begin ──► part 1 ──► part 2 ──► … ──► last part ──► finished
///               │ each in one transaction: valid lines, progress, faults, and the unfinished last line
///               └ repeated: nothing changes · out of order: conflict
///   open ──cancel──► cancelled: takes no more parts; what was imported stays
/// ```
/// A part can end anywhere, even within a character. An invalid line is reported with its number and reason, and only
/// that line is skipped; if the import does not skip errors, one such line fails the whole import, and nothing is
/// imported until the last part has arrived.
package enum ImportService {
  /// An import with its progress.
  package struct Entry: DescribedAnswer {
    package let record: Imports.Record

    package var number: Imports.Number { record.number }
    /// Number of lines read so far, without the header line.
    package var lines: Int64 { record.dataLines }
    package var imported: Int64 { record.imported }
    package var rejected: Int64 { record.rejected }

    /// `open` until the last part has arrived, or until it is `cancelled`; then `refused` if a line was invalid and the
    /// import does not skip errors, so that nothing was imported; otherwise `finished`.
    package var state: String {
      if record.finishedAt == nil { return "open" }
      if record.isCancelled { return "cancelled" }
      return record.skipsErrors || record.rejected == 0 ? "finished" : "refused"
    }

    package static let object = JSONObject<Entry>(
      "Import",
      [
        .always("importId", .sequence, \.record.number), .always("appId", .appID, \.record.appID),
        .always("kind", kindNames, \.record.kind.name),
        .always("groupSeq", .orNull(.sequence), \.record.group, "Whose members."),
        .always("skipErrors", .flag, \.record.skipsErrors),
        .always(
          "encoding", .orNull(encodingNames), { $0.record.encoding?.name },
          "What the file is written in; null until that is known."),
        .always(
          "state", .words(["open", "finished", "refused", "cancelled"]), \.state,
          "`refused`: a line was wrong, so nobody was imported. `cancelled`: the people that `imported` counts stay."),
        .always("parts", .count, \.record.parts, "Taken so far."),
        .always(
          "lines", .count, \.lines,
          "Read so far, without the first, which names the columns. The errors number them as the file does."),
        .always("imported", .count, \.record.imported, "Lines whose people were brought in."),
        .always("rejected", .count, \.record.rejected, "Lines that were wrong."),
        .always("createdAt", .moment, \.record.createdAt), .always("createdBy", .anyText, \.record.createdBy),
        .always("finishedAt", .orNull(.moment), \.record.finishedAt, "When it ended or was cancelled."),
      ])
  }

  private static let kindNames = JSONForm.words(["users", "members", "devices"])
  private static let encodingNames = JSONForm.words(FileEncoding.allCases.map(\.name))

  package struct New: Sendable {
    package var appID = ""
    package var kind = Imports.Kind.users
    package var group: Int64?
    package var skipsErrors = true
    package var encoding: FileEncoding?

    package init() {}

    package static let object = JSONObject(
      "NewImport", from: New(),
      [
        .required("appId", .appID, \.appID),
        .required(
          "kind",
          kindNames.mapped(
            by: { Imports.Kind(name: $0) }, else: "must be users, members or devices", written: \.name), \.kind),
        .given("groupSeq", .orNull(.groupSeq), \.group, "For members: of which group."),
        .given("skipErrors", .flag, \.skipsErrors, "True by default."),
        .given(
          "encoding",
          encodingNames.mapped(by: { FileEncoding(name: $0) }, else: "must be UTF-8 or CP949", written: \.name),
          \.encoding,
          "What the file is written in. Without it, what most lines are of the first part with letters beyond ASCII."),
      ])
  }

  package struct FaultEntry: DescribedAnswer {
    package let fault: Imports.Fault

    package var line: Int64 { fault.line }
    package var error: String { fault.error }

    package static let object = JSONObject<FaultEntry>(
      "ImportError", isNamed: false,
      [
        .always("line", .count, \.fault.line, "Counted from 1."),
        .always("text", .anyText, \.fault.text, "How the line begins."),
        .always("error", .anyText, \.fault.error),
      ])
  }

  package static func list(
    of appID: String, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .importPeople)
    let found = try connection.answer(
      Imports.list(of: app.number, before: try page.number(first: .max), limit: page.limit + 1))
    return ItemPage(found.map(Entry.init), limit: page.limit) { String($0.record.number) }
  }

  package static func show(
    _ number: Imports.Number, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    try caller.require(.importPeople)
    guard let record = try connection.answer(Imports.find(number)), caller.reaches(record.app) else {
      throw unknown(number)
    }
    return Entry(record: record)
  }

  /// Lists the import's invalid lines in the order of the file; at most `importFaults` are stored.
  /// - Throws: `.forbidden`; `.notFound` if there is no such import in an app that the caller may access.
  package static func faults(
    of number: Imports.Number, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<FaultEntry> {
    _ = try show(number, by: caller, on: connection)
    let found = try connection.answer(
      Imports.faults(of: number, after: try page.number(first: 0), limit: page.limit + 1))
    return ItemPage(found.map(FaultEntry.init), limit: page.limit) { String($0.fault.line) }
  }

  // MARK: Importing

  /// Begins an import, whose parts are then passed to `take`, and audits that. Nothing is imported yet.
  /// - Throws: `.forbidden`; `.unknownApp`; `.impossible` if the kind needs a group and none is named, or has no group
  ///   and one is named; `.unknownGroup` if the app does not have the group.
  package static func begin(
    _ new: New, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(new.appID, allowing: caller, to: .importPeople)
    switch (new.kind, new.group) {
    case (.members, let group?):
      guard try connection.answer(Groups.joinRules(of: [group]))[group]?.app == app.number else {
        throw Problem(.unknownGroup, "The app \(app.appID) has no group \(group).")
      }
    case (.members, nil): throw Problem(.impossible, at: "/groupSeq", "is needed: whose members the file names")
    case (.users, .some):
      throw Problem(.impossible, at: "/groupSeq", "does not belong here: users name their groups in the file")
    case (.devices, .some):
      throw Problem(.impossible, at: "/groupSeq", "does not belong here: devices are in no group by file")
    case (.users, nil), (.devices, nil): break
    }
    let number = try connection.commit { () throws(PostgresError) in
      let number = try connection.run(
        Imports.create(
          new.kind, of: app.number, group: new.group, skipsErrors: new.skipsErrors, encoding: new.encoding,
          by: caller.name))
      let change = AuditTrail.Change("import.begin", String(number), in: app).to { writer in
        writer.member("kind", new.kind.name)
        writer.member("groupSeq", new.group.map(String.init))
        writer.member("skipErrors", new.skipsErrors)
        writer.member("encoding", new.encoding?.name)
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return number
    }
    return try show(number, by: caller, on: connection)
  }

  /// Imports the next part, or, if the import does not skip errors, stores it until the last part arrives. Returns the
  /// import's progress. Repeating the part that was accepted last changes nothing.
  /// - Throws: `.forbidden`; `.notFound`; `.bodyTooLarge` for a part of more than `importPartBytes`; `.conflict` if the
  ///   import is finished or cancelled or began longer ago than `importPeriod`, the part is not the next one, an import
  ///   that does not skip errors has more than `importWaitingParts` parts, the app's imports have `importPartsOfApp`
  ///   stored, or the app is being deleted; a problem if the file is UTF-16.
  package static func take(
    _ part: ImportPart, of number: Imports.Number, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Entry {
    let present = try show(number, by: caller, on: connection).record
    if let problem = try connection.app(present.appID).refusalWhileDeleted { throw problem }
    guard part.bytes.count <= Operations.Limits.importPartBytes else {
      throw Problem(
        .bodyTooLarge,
        "A part of an import has at most \(Operations.Limits.importPartBytes) bytes. Cut the file smaller.")
    }
    if part.number == 1 { try CSVEncoding.refuseUTF16(part.bytes) }
    guard present.skipsErrors || part.number <= Operations.Limits.importWaitingParts else {
      throw Problem(
        .conflict,
        "An import that skips no wrong lines has at most \(Operations.Limits.importWaitingParts) parts, for it is brought in at once. Cut the file into several."
      )
    }
    guard present.finishedAt != nil || now < present.createdAt + Operations.Limits.importPeriod else {
      throw Problem(
        .conflict,
        "The import \(number) began more than 30 days ago, and its lines are deleted by now. Begin a new one.")
    }
    let hash = SHA256.hash(part.bytes + [part.isLast ? 1 : 0])
    let isNext = present.finishedAt == nil && part.number == present.parts + 1
    // Before the import is locked: on a slow machine this takes longer than a transaction may be idle.
    let judged =
      isNext
      ? try connection.answer { () throws(PostgresError) in
        try JudgedPart(part, of: present, on: connection)
      } : nil
    let end = try connection.commit { () throws(PostgresError) -> Taking in
      guard let record = try connection.run(Imports.lock(number)) else { return .refused(unknown(number)) }
      if part.number == record.parts, record.partSHA256 == hash { return .taken }
      if let problem = refusalOnceOver(record) { return .refused(problem) }
      guard part.number == record.parts + 1 else {
        return .refused(Problem(.conflict, "The next part of import \(number) is number \(record.parts + 1)."))
      }
      // This part is still the next one, so the import has not changed since the part was judged.
      guard let judged, try judged.holdGroups(on: connection) else { return .unjudged }
      if isStored(part, judged.record) {
        let stored = try connection.run(Imports.storedParts(of: record.app))
        if let problem = UploadRoom.refusal(ofPartBeside: stored, of: record.appID) { return .refused(problem) }
      }
      try bringIn(judged, part, hash: hash, by: caller, on: connection, now: now)
      return .taken
    }
    switch end {
    case .taken: return try show(number, by: caller, on: connection)
    case .refused(let problem): throw problem
    // The previous part was accepted only after `present` was read: now this one is the next. Or a group is gone.
    case .unjudged: return try take(part, of: number, by: caller, on: connection, now: now)
    }
  }

  /// Ends an import before its last part, and audits that. What its parts have imported stays. An import that skips no
  /// errors has imported nothing: its stored parts are deleted. Waits for a part that is being imported. Cancelling an
  /// import again changes nothing.
  /// - Throws: `.forbidden`; `.notFound`; `.conflict` if its last part has arrived, or the app is being deleted.
  package static func cancel(
    _ number: Imports.Number, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let present = try show(number, by: caller, on: connection).record
    if let problem = try connection.app(present.appID).refusalWhileDeleted { throw problem }
    let refusal = try connection.commit { () throws(PostgresError) -> Problem? in
      guard let record = try connection.run(Imports.lock(number)) else { return unknown(number) }
      if record.isCancelled { return nil }
      if let problem = refusalOnceOver(record) { return problem }
      try connection.run(Imports.cancel(number))
      try connection.run(Imports.dropParts(of: number))
      try audit("import.cancel", record, by: caller, on: connection)
      return nil
    }
    if let refusal { throw refusal }
    return try show(number, by: caller, on: connection)
  }

  /// Returns why an import that has ended accepts neither a part nor a cancellation; nil if it is open.
  private static func refusalOnceOver(_ record: Imports.Record) -> Problem? {
    guard record.finishedAt != nil else { return nil }
    return record.isCancelled
      ? Problem(.conflict, "The import \(record.number) is cancelled. Begin a new one.")
      : Problem(.conflict, "The import \(record.number) is finished.")
  }

  private static func audit(
    _ action: String, _ record: Imports.Record, by caller: Caller, on connection: Connection
  ) throws(PostgresError) {
    let change = AuditTrail.Change(action, String(record.number), app: record.app).to { writer in
      writer.member("lines", record.dataLines)
      writer.member("imported", record.imported)
      writer.member("rejected", record.rejected)
    }
    try connection.run(AuditTrail.add(change, by: caller))
  }

  /// What became of a part.
  private enum Taking {
    case taken
    case refused(Problem)
    /// The part is the next one, but was not judged before the import was locked, or by groups that are gone.
    case unjudged
  }

  /// Imports or stores a judged part, and saves the import's progress. The caller has locked the import.
  private static func bringIn(
    _ judged: JudgedPart, _ part: ImportPart, hash: [UInt8], by caller: Caller, on connection: Connection,
    now: Timestamp
  ) throws(PostgresError) {
    var record = judged.record
    if !judged.batch.faults.isEmpty { try connection.run(Imports.add(judged.batch.faults, to: record.number)) }
    if record.skipsErrors {
      try judged.batch.bringIn(record, on: connection, now: now)
    } else {
      record.imported = 0
      try wait(part, judged.whole, &record, on: connection, now: now)
    }
    record.parts = part.number
    record.partSHA256 = hash
    try connection.run(Imports.save(record, isFinished: part.isLast))
    if part.isLast { try audit("import.finish", record, by: caller, on: connection) }
  }

  /// Returns true for a part that is to be stored until the last one arrives: of an import that skips no errors and in
  /// which no line was invalid, up to the end of this part.
  private static func isStored(_ part: ImportPart, _ record: Imports.Record) -> Bool {
    !record.skipsErrors && !part.isLast && record.rejected == 0
  }

  /// Stores a part of an import that skips no errors, unless a line was already invalid. For the last part, imports
  /// either all parts or nothing, sets the counts of `record`, and deletes the stored parts.
  private static func wait(
    _ part: ImportPart, _ whole: JudgedPart.Whole?, _ record: inout Imports.Record, on connection: Connection,
    now: Timestamp
  ) throws(PostgresError) {
    if !part.isLast {
      if isStored(part, record) { try connection.run(Imports.keep(part.number, part.bytes, of: record.number)) }
      return
    }
    if let whole {
      // A group may have been deleted since its line was first checked.
      let faults = whole.batches.flatMap(\.faults)
      if faults.isEmpty {
        for batch in whole.batches { try batch.bringIn(record, on: connection, now: now) }
        record.imported = whole.imported
      } else {
        try connection.run(Imports.add(faults, to: record.number))
        record.rejected = whole.rejected
      }
    }
    try connection.run(Imports.dropParts(of: record.number))
  }

  private static func unknown(_ number: Imports.Number) -> Problem {
    Problem(.notFound, "There is no import \(number).")
  }
}

extension Imports.Kind {
  package var name: String {
    switch self {
    case .users: "users"
    case .members: "members"
    case .devices: "devices"
    }
  }

  package init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}

extension Operations.Limits {
  /// Maximum size of a part, in bytes: some 25,000 people, whose rows are locked for a fraction of a second.
  package static let importPartBytes = 1_048_576
  /// 30 days: how long an import may take. What is stored of its lines is deleted then (`Retention`).
  static let importPeriod: Duration = .seconds(30 * 86_400)
  /// Maximum number of parts of an all-or-nothing import: some 400,000 people.
  package static let importWaitingParts: Int32 = 16
}
