package import Domain
package import JSON
package import Postgres
package import Store

/// Saved messages: templates, drafts, and senders.
///
/// A template is complete except for the members that only a send supplies, such as the audience, and validated as a
/// send would be. A draft is unfinished and can be any object. A sender is a name that messages contain as `sender`,
/// with a partial message to start from. `SavedMessageRules` validates all three. Every change is audited.
package enum SavedMessageService {
  /// A saved message as shown to clients, alone or in a list.
  package struct Entry: JSONAnswer {
    package let record: SavedMessages.Record

    package func write(to writer: inout JSONWriter) { Self.objects[record.kind]?.write(self, to: &writer) }

    package static func object(of kind: SavedMessages.Kind) -> JSONObject<Entry> {
      JSONObject(
        kind.noun,
        [
          .always(kind.idName, .sequence, \.record.number), .always("appId", .appID, \.record.appID),
          .always("name", .name, \.record.name, aboutName),
          .always("message", .raw(anyObject), { Array($0.record.message.utf8) }, kind.about),
        ] + (kind == .sender ? [.always("sender", senderForm, { $0.record.sender ?? "" }, aboutSender)] : []) + [
          .always("createdAt", .moment, \.record.createdAt), .always("updatedAt", .moment, \.record.updatedAt),
          .always("updatedBy", .anyText, \.record.updatedBy, "The name of a key or account."),
        ])
    }
    private static let objects = Dictionary(
      uniqueKeysWithValues: SavedMessages.Kind.allCases.map { ($0, object(of: $0)) })
  }

  /// A message to create, or the new content of a saved message.
  package struct New: Sendable {
    /// ID of the app, as parsed from a request to create a message; empty in a change, which cannot move the message.
    package var appID = ""
    package var name: String
    /// Value of `sender` in messages from this sender; required for a sender, nil for templates and drafts.
    package var sender: String?
    /// The message as a JSON object.
    package var message: [UInt8]

    package init(name: String, sender: String? = nil, message: [UInt8]) {
      self.name = name
      self.sender = sender
      self.message = message
    }

    package static func object(of kind: SavedMessages.Kind) -> JSONObject<New> {
      JSONObject(
        "New\(kind.noun)", from: New(name: "", message: []), [.required("appId", .appID, \.appID)] + fields(kind))
    }

    /// Schema of the request that replaces a saved message.
    package static func change(of kind: SavedMessages.Kind) -> JSONObject<New> {
      JSONObject("\(kind.noun)Change", from: New(name: "", message: []), fields(kind))
    }

    private static func fields(_ kind: SavedMessages.Kind) -> [JSONField<New>] {
      [
        .required("name", .name, \.name, aboutName),
        .required("message", .message(of: kind), \.message, kind.about),
        kind == .sender
          ? .required("sender", senderForm.some, \.sender, aboutSender, missing: "is needed: what its messages bear")
          : .refused("sender", "belongs to senders only; put it into the message"),
      ]
    }
  }

  private static let aboutName = "For lists."
  private static let aboutSender = "What its messages bear in `sender`."
  private static let senderForm = JSONForm.text(upTo: 64)
  fileprivate static let anyObject = JSONTree.object([("type", "object")])

  package static func list(
    _ kind: SavedMessages.Kind, of appID: String, _ page: PageRequest, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .viewContent)
    let found = try connection.answer(
      SavedMessages.list(
        kind, of: app.number, after: try page.number(first: 0), bytes: Operations.Limits.pageBytes,
        limit: page.limit + 1))
    return ItemPage(found.records.map(Entry.init), limit: page.limit, isCut: found.isCut) { String($0.record.number) }
  }

  package static func show(
    _ number: SavedMessages.Number, _ kind: SavedMessages.Kind, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    try caller.require(.viewContent)
    guard let record = try connection.answer(SavedMessages.find(number, kind)), caller.reaches(record.app) else {
      throw unknown(number, kind)
    }
    return Entry(record: record)
  }

  // MARK: Changes

  package static func create(
    _ new: New, _ kind: SavedMessages.Kind, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID, allowing: caller, to: .manageContent)
    let stored = try check(new, kind, appID, caller)
    let number = try connection.commit { () throws(PostgresError) in
      let number = try connection.run(SavedMessages.create(stored, kind, of: app.number))
      let change = AuditTrail.Change("\(kind.word).create", String(number), in: app).to { $0.write(stored) }
      try connection.run(AuditTrail.add(change, by: caller))
      return number
    }
    return try show(number, kind, by: caller, on: connection)
  }

  /// Replaces the name, sender and message of a saved message, and returns the result.
  /// - Throws: `.forbidden` without the permission; `.notFound` if there is no such message, or it belongs to an app
  ///   that the caller may not access; `.conflict` if another sender of the app has the same `sender`; a problem with
  ///   the new content.
  package static func replace(
    _ number: SavedMessages.Number, _ kind: SavedMessages.Kind, with new: New, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> Entry {
    try caller.require(.manageContent)
    let present = try show(number, kind, by: caller, on: connection)
    let stored = try check(new, kind, present.record.appID, caller)
    let isThere = try connection.commit { () throws(PostgresError) in
      guard let before = try connection.run(SavedMessages.lock(number, kind)) else { return false }
      try connection.run(SavedMessages.change(number, stored))
      let change = AuditTrail.Change("\(kind.word).change", String(number), app: before.app).from { $0.write(before) }
        .to { $0.write(stored) }
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
    guard isThere else { throw unknown(number, kind) }
    return try show(number, kind, by: caller, on: connection)
  }

  package static func delete(
    _ number: SavedMessages.Number, _ kind: SavedMessages.Kind, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    try caller.require(.manageContent)
    let isThere = try connection.commit { () throws(PostgresError) in
      guard let before = try connection.run(SavedMessages.lock(number, kind)), caller.reaches(before.app) else {
        return false
      }
      try connection.run(SavedMessages.delete(number))
      let change = AuditTrail.Change("\(kind.word).delete", String(number), app: before.app).from { $0.write(before) }
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
    guard isThere else { throw unknown(number, kind) }
  }

  // MARK: Rules

  private static func check(
    _ new: New, _ kind: SavedMessages.Kind, _ appID: String, _ caller: Caller
  ) throws(Problem) -> SavedMessages.New {
    guard (1...Operations.Limits.nameBytes).contains(new.name.utf8.count) else {
      throw Problem(at: "/name", "must have 1 to \(Operations.Limits.nameBytes) bytes")
    }
    guard new.message.count <= Operations.Limits.savedMessageBytes else {
      throw Problem(at: "/message", "must have at most \(Operations.Limits.savedMessageBytes) bytes")
    }
    switch (kind, new.sender) {
    case (.sender, let sender?):
      guard (1...64).contains(sender.utf8.count) else { throw Problem(at: "/sender", "must have 1 to 64 bytes") }
    case (.sender, nil): throw Problem(at: "/sender", "is needed: what its messages bear")
    case (_, .some): throw Problem(at: "/sender", "belongs to senders only; put it into the message")
    case (_, nil): break
    }
    try SavedMessageRules.check(new.message, kind, appID: appID)
    return SavedMessages.New(
      name: new.name, sender: new.sender, message: String(decoding: new.message, as: UTF8.self), by: caller.name)
  }

  private static func unknown(_ number: SavedMessages.Number, _ kind: SavedMessages.Kind) -> Problem {
    Problem(.notFound, "There is no \(Sentence(word: kind.word)) \(number).")
  }
}

extension SavedMessages.Kind {
  package var word: String {
    switch self {
    case .template: "template"
    case .draft: "draft"
    case .sender: "sender"
    }
  }

  package var idName: String { word + "Id" }

  /// Capitalized name, used for schemas in the API description.
  package var noun: String { word.prefix(1).uppercased() + word.dropFirst() }

  fileprivate var about: String {
    switch self {
    case .template: "A send without `appId`, `audience` and `dryRun`."
    case .draft: "Any object."
    case .sender: "A part of a send, without `appId` and `audience`."
    }
  }
}

extension JSONForm<[UInt8]> {
  /// Returns the form of a saved message, which reads any JSON object as raw bytes. Its members are validated only when
  /// the message is saved.
  fileprivate static func message(of kind: SavedMessages.Kind) -> JSONForm {
    JSONForm(
      kind == .draft ? SavedMessageService.anyObject : JSONSchema.reference("KeptMessage"),
      read: { (reader) throws(JSONError) in
        guard try reader.peek() == .object else { throw JSONError("must be an object: a message") }
        return try reader.readRaw()
      })
  }
}

extension JSONWriter {
  // Audit the whole message, even a long one: it may later matter what was sent from it.
  fileprivate mutating func write(_ saved: SavedMessages.New) {
    member("name", saved.name)
    if let sender = saved.sender { member("sender", sender) }
    member("message", raw: saved.message)
  }

  fileprivate mutating func write(_ saved: SavedMessages.Record) {
    member("name", saved.name)
    if let sender = saved.sender { member("sender", sender) }
    member("message", raw: saved.message)
  }
}

extension Operations.Limits {
  /// Maximum size of a saved message in bytes: a payload has 4 KiB, but a page's text can be longer, and a draft can
  /// contain a list of recipients.
  static let savedMessageBytes = 65_536
}
