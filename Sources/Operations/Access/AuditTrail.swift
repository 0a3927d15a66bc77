package import Domain
package import JSON
package import Postgres
package import Store

/// The audit log: who did what, when and from where, with the values before and after, but without secrets.
///
/// A requested change and its audit entry are written in the same transaction, so there is never one without the other.
/// Most operations write no entry if they change nothing, such as pausing a paused message. Sign-ins, including failed
/// ones, and reading lists of people are audited too. Not audited are the actions of devices (except when one joins a
/// user who has other devices), and those that programs perform by the thousand: sends to named users, which the stored
/// message documents for as long as it is kept; updates of channels; and vouchers, which are valid for minutes.
package enum AuditTrail {
  /// An audited change: action, app, object, and the values before and after.
  struct Change {
    let action: String
    let app: App.Number?
    /// Name or number of the changed object, as lists show it.
    let object: String
    var before: [UInt8]?
    var after: [UInt8]?

    init(_ action: String, _ object: String, in app: App?) {
      self.init(action, object, app: app?.number)
    }

    init(_ action: String, _ object: String, app: App.Number?) {
      self.action = action
      self.object = object
      self.app = app
    }

    /// Returns a copy with the values before the change. The entry contains them only if this is called.
    /// - Parameter write: writes the members of a JSON object.
    func from(_ write: (inout JSONWriter) -> Void) -> Change {
      var change = self
      change.before = Self.object(write)
      return change
    }

    func to(_ write: (inout JSONWriter) -> Void) -> Change {
      var change = self
      change.after = Self.object(write)
      return change
    }

    private static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
      var writer = JSONWriter()
      writer.object { write(&$0) }
      return writer.bytes
    }
  }

  /// Returns the query that stores a change's audit entry. Run it in the transaction that makes the change.
  static func add(_ change: Change, by caller: Caller) -> Query<Void> {
    var entry = entry(change.action, change.object, change.app, by: caller)
    entry.before = change.before.map { String(decoding: $0, as: UTF8.self) }
    entry.after = change.after.map { String(decoding: $0, as: UTF8.self) }
    return AuditLog.add(entry)
  }

  /// Lists of people whose reading is audited.
  enum List: String {
    case users, devices, deliveries, fallbacks, quarantine
    case groupMembers = "group-members"
    case userMessages = "user-messages"
  }

  /// Records that the caller reads a list of people: one entry per reader, list, app and clock hour, however many pages
  /// are read. The reader is the API key or account, or else identified by the caller's name, or the address of one
  /// without a name.
  static func note(_ list: List, of app: App.Number, by caller: Caller, on connection: Connection) throws(Problem) {
    let reader =
      caller.apiKey.map { "key \($0)" } ?? caller.account.map { "account \($0)" }
      ?? (caller.name.isEmpty ? "address \(caller.origin)" : caller.name)
    try connection.answer(AuditLog.addReading(entry("people.read", list.rawValue, app, by: caller), of: reader))
  }

  private static func entry(_ action: String, _ object: String, _ app: App.Number?, by caller: Caller) -> AuditLog.New {
    var entry = AuditLog.New(actor: caller.name, role: caller.role.rawValue, action: action, object: object)
    entry.apiKey = caller.apiKey
    entry.account = caller.account
    entry.origin = caller.origin
    entry.requestID = caller.requestID
    entry.app = app
    return entry
  }

  /// Returns the query that stores an entry for a device that joins a user who already has others. The entry identifies
  /// the user only through the device, so that nothing about the person is left here after an erasure.
  static func add(_ device: Devices.Record) -> Query<Void> {
    var entry = AuditLog.New(
      actor: "device", role: AuditLog.deviceRole, action: "device.add", object: device.device.description)
    entry.app = device.app
    entry.after = #"{"identity":"\#(device.identity.name)"}"#
    return AuditLog.add(entry)
  }

  // MARK: Reading

  /// An audit entry as lists show it.
  package struct Entry: DescribedAnswer {
    package let record: AuditLog.Record

    package static let object = JSONObject<Entry>(
      "Audit", isNamed: false,
      [
        .always("entryId", .sequence, \.record.entry), .always("at", .moment, \.record.at),
        .always("actor", .anyText, \.record.actor),
        .always(
          "by", .words(["api-key", "account", "address", "command-line", "device", "server", "nobody"]), \.by,
          """
          `address`: a server that needs no key, by its address. `server`: it did so by itself. `nobody`: whoever was \
          refused a sign-in.
          """),
        .always("apiKeyId", .orNull(.sequence), \.record.apiKey),
        .always("accountId", .orNull(.sequence), \.record.account),
        .always("role", .anyText, \.record.role),
        .always("origin", .anyText, \.record.origin, "The address it came from."),
        .always("requestId", .anyText, \.record.requestID), .always("action", .anyText, \.record.action),
        .always("appId", .orNull(.anyText), \.record.appID), .always("object", .anyText, \.record.object),
        .always("before", settings, { Array(($0.record.before ?? "null").utf8) }),
        .always("after", settings, { Array(($0.record.after ?? "null").utf8) }),
      ])

    private static let settings = JSONForm.raw(JSONSchema.optional(JSONSchema.reference(settingsSchema.name)))
    package static let settingsSchema: JSONTree.Member = (
      "AuditedSettings", .object([("type", "object"), ("description", "What was set, by name.")])
    )

    private var by: String {
      if record.apiKey != nil { return "api-key" }
      if record.account != nil { return "account" }
      return switch record.role {
      case AuditLog.deviceRole: "device"
      case AuditLog.serverRole: "server"
      // Of all callers without a key and an account, only those admitted by their address have no name.
      case _ where record.actor.isEmpty: "address"
      default: record.actor == Caller.nobody.name ? "nobody" : "command-line"
      }
    }
  }

  /// Conditions for listed entries, all of which must hold; nil means no condition. `action` selects the action of that
  /// name and those whose names continue it after a dot: `message` selects `message.pause`, too. A CUID as `object`
  /// selects the entries about this user, which have the hash of it.
  package struct Question: Sendable {
    package var appID: String?
    package var action: String?
    package var actor: String?
    package var object: String?

    package init(appID: String? = nil, action: String? = nil, actor: String? = nil, object: String? = nil) {
      self.appID = appID
      self.action = action
      self.actor = actor
      self.object = object
    }
  }

  /// Lists entries, newest first. A caller limited to one app sees only that app's entries. A page can be short or
  /// empty, and still be followed by another (`searchedRows`).
  /// - Throws: `.forbidden` if the caller may not view the audit log or the app, `.unknownApp`, `.invalidField` for
  ///   another list's cursor.
  package static func list(
    _ question: Question, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let filter = try filter(question, by: caller, on: connection)
    let before = try page.number(first: .max)
    let window = Operations.Limits.searchedRows
    let found = try connection.answer(
      AuditLog.list(
        filter, before: before, window: window, bytes: Operations.Limits.pageBytes, limit: page.limit + 1))
    let entries = found.records.map(Entry.init)
    guard entries.count <= page.limit, !found.isCut else {
      return ItemPage(entries, limit: page.limit, isCut: found.isCut) { String($0.record.entry) }
    }
    let edge = try connection.answer(AuditLog.edge(filter, before: before, window: window))
    return ItemPage(items: entries, behind: edge.map(String.init))
  }

  /// Returns what a question selects, after checking that the caller may ask it.
  /// - Throws: `.forbidden` if the caller may not view the audit log or the app, `.unknownApp`.
  static func filter(
    _ question: Question, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AuditLog.Filter {
    try caller.require(.viewAudit)
    var filter = AuditLog.Filter()
    filter.app = caller.app
    if let appID = question.appID {
      let app = try connection.app(appID)
      try caller.require(.viewAudit, in: app)
      filter.app = app.number
    }
    filter.action = question.action
    filter.actor = question.actor
    filter.object = question.object
    filter.otherObject = question.object.map(PersonRights.trace)
    return filter
  }
}

extension Operations.Limits {
  /// Maximum number of rows that one page of a filtered list examines, which takes some ten milliseconds. If none of
  /// them matches, the page is empty and the next page continues after them.
  static let searchedRows = 10_000
}
