package import Domain
package import JSON
package import Postgres
internal import Store

/// Shows and changes an app's rules for ads, and checks messages against them.
package enum AdvertisingRules {
  package struct Entry: DescribedAnswer {
    package let appID: String
    package let rules: AdRules

    package static let object = JSONObject<Entry>(
      "AdRules",
      [
        .always("appId", .appID, \.appID),
        .always("label", .anyText, \.rules.label, "What every ad begins with; empty: nothing."),
        .always("optOut", .anyText, \.rules.optOut, "What every ad must say; empty: nothing."),
        .always("night", .orNull(night), \.rules.night, "Null: ads go at any hour."),
      ])
  }

  /// Changes to the rules; nil leaves a rule unchanged.
  package struct Change: Equatable, Sendable {
    package var label: String?
    package var optOut: String?
    /// The new night hours; `.some(nil)` removes them, nil leaves them unchanged.
    package var night: AdRules.Night??

    package init() {}

    package static let object = JSONObject(
      "AdRuleChange", from: Change(), more: [("minProperties", .number(1))],
      [
        .given("label", words(upTo: Domain.Limits.adLabelBytes), \.label),
        .given("optOut", words(upTo: Domain.Limits.adOptOutBytes), \.optOut),
        .given("night", .orNull(AdvertisingRules.night), \.night),
      ])

    private static func words(upTo bytes: Int) -> JSONForm<String> {
      JSONForm(
        JSONSchema.text(upTo: bytes, isEmptyAllowed: true),
        read: { (reader) throws(JSONError) in try reader.readWords(upTo: bytes) })
    }
  }

  private static let night = JSONForm<AdRules.Night>(
    JSONSchema.reference("AdNight"), read: { (reader) throws(JSONError) in try reader.readNight() },
    write: { night, writer in
      writer.object { writer in
        writer.member("from", night.from.text)
        writer.member("to", night.to.text)
      }
    })

  package static let nightSchema: JSONTree.Member = {
    let time = JSONSchema.text(matching: "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$")
    return (
      "AdNight",
      JSONSchema.object(
        "From the evening to the morning, by the device's clock.", isClosed: true,
        [.required("from", time), .required("to", time)])
    )
  }()

  package static func show(
    _ appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID)
    try caller.require(.viewMessages, in: app)
    return Entry(appID: app.appID, rules: try rules(of: app, on: connection))
  }

  /// Changes the rules, audits that, and returns all of them. Label and opt-out apply to messages accepted from now on;
  /// the night hours also to those being sent.
  /// - Throws: `.invalidField` if the change is empty; `.unknownApp`; `.forbidden`.
  package static func change(
    _ change: Change, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    guard change != Change() else { throw Problem(.invalidField, "Name a rule: {\"label\":\"(광고)\"}.") }
    let saved = try connection.commit { () throws(PostgresError) -> AdRules? in
      guard var rules = try connection.run(AdSettings.lock(app.number)) else { return nil }
      let before = Entry(appID: app.appID, rules: rules)
      if let label = change.label { rules.label = label }
      if let optOut = change.optOut { rules.optOut = optOut }
      if let night = change.night { rules.night = night }
      let after = Entry(appID: app.appID, rules: rules)
      let change = AuditTrail.Change("app.ad-rules", app.appID, in: app).from(before.write).to(after.write)
      try connection.run(AuditTrail.add(change, by: caller))
      return try connection.run(AdSettings.save(rules, of: app.number))
    }
    guard let saved else { throw gone(app) }
    return Entry(appID: app.appID, rules: saved)
  }

  /// Throws `.impossible` if a message is an ad that does not meet the app's rules.
  static func check(_ message: MessageRequest, _ app: App, on connection: Connection) throws(Problem) {
    guard message.kind == .ad else { return }
    try rules(of: app, on: connection).check(message.content)
  }

  /// Returns a dry run's notes for the sender of an ad: that no opt-out wording is checked, if the app demands none;
  /// the night hours, if the app has any; and whether the message's send window lies within them. Empty for other
  /// messages.
  static func notes(_ message: MessageRequest, _ app: App, on connection: Connection) throws(Problem) -> [Sentence] {
    guard message.kind == .ad else { return [] }
    let rules = try rules(of: app, on: connection)
    var notes: [Sentence] = []
    if rules.optOut.isEmpty {
      notes.append(
        "Nothing checks that it has an opt-out wording, as the law may demand: upmc app ads \(app.appID) --opt-out …"
      )
    }
    guard let night = rules.night else { return notes }
    notes.append(
      """
      From \(night.from.text) to \(night.to.text) by a device's clock it waits, unless the device has given consent to \
      ads at night (nightAd).
      """)
    if let window = message.window, night.covers(window) {
      notes.append(
        """
        Its send window lies within these hours: where it is night then, only devices with that consent get it, and \
        for the others it expires.
        """)
    }
    return notes
  }

  private static func rules(of app: App, on connection: Connection) throws(Problem) -> AdRules {
    guard let rules = try connection.answer(AdSettings.find(app.number)) else { throw gone(app) }
    return rules
  }

  private static func gone(_ app: App) -> Problem {
    Problem(.unknownApp, "The app \(app.appID) was deleted meanwhile.")
  }
}

extension JSONReader {
  /// Reads text that may be empty.
  /// - Throws: `JSONError` for more than `bytes` bytes, and for U+0000.
  fileprivate mutating func readWords(upTo bytes: Int) throws(JSONError) -> String {
    let text = try readString()
    guard text.utf8.count <= bytes, !text.utf8.contains(0) else {
      throw JSONError("must be text of at most \(bytes) bytes")
    }
    return text
  }

  fileprivate mutating func readNight() throws(JSONError) -> AdRules.Night {
    var ends: [String: ClockTime] = [:]
    try readObject { (reader, key) throws(JSONError) in
      guard key == "from" || key == "to" else { throw .unknownField }
      guard let time = ClockTime(try reader.readString()) else {
        throw JSONError("must be a time of day, for example 21:00")
      }
      ends[key] = time
    }
    guard let from = ends["from"] else { throw JSONError("is needed, for example 21:00").inside("from") }
    guard let to = ends["to"] else { throw JSONError("is needed, for example 08:00").inside("to") }
    guard from != to else { throw JSONError.contradiction("must differ from from").inside("to") }
    return AdRules.Night(from: from, to: to)
  }
}
