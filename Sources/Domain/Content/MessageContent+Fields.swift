package import JSON

/// The members of a send that determine its payload and headers, with their parsing and their API description.
extension MessageContent {
  /// The members with the message's texts, which precede the badge in the API description.
  static let texts: [JSONField<MessageContent>] = [
    said(
      "pushType", .words(PushType.allCases), \.askedPushType,
      "Apple's kind of push; found from the rest when absent. Each has fields of its own, and refuses the others."),
    said("alert", .alert, \.alert),
    said(
      "translations", translations,
      "The same by language, such as `ko` or `en-GB`: a device gets the one that fits its locale best, or `alert`."
    ) { $0.translations = $1 },
    said(
      "variables", variables, "What stands for `%VAR1%` … `%VAR9%` in every text, by the names `VAR1` … `VAR9`."
    ) { $0.variables = $1 },
  ]

  static let settings: [JSONField<MessageContent>] = [
    said("sound", .sound, nil, says: { $0 != .silent }) { $0.sound = $1 },
    said(
      "mediaUrl", .text(upTo: Domain.Limits.payloadBytes),
      "A picture, sound or film (https) that the app's extension fetches; `mutableContent` is set by it."
    ) { $0.media = .url($1) },
    said("media", .contentName, "The same, by the id of an upload.") { $0.media = .upload($1) },
    said(
      "ext", .text(upTo: Domain.Limits.hostedTextBytes), \.ext,
      #"EXT: data for the app, at best `type\|title\|…\|url`. What does not fit moves to a page."#),
    said("data", customKeys, "Further keys of the payload, beside `aps` and `mps`.") { $0.data = $1 },
    said(
      "fillVariables", .flag, "False: `%CUID%` and its like are text as any other. True when absent.",
      says: { _ in false }
    ) { $0.fillsVariables = $1 },
    said("liveActivity", LiveActivity.form, \.liveActivity),
    said("android", AndroidContent.object.form, \.android),
    said("mdm", .contentName, \.mdm, "For the push type mdm: the device's PushMagic."),
    said("category", .contentName, \.category, "Which actions and extension the app shows."),
    said("threadId", .contentName, \.threadID, "Groups notifications on the device."),
    said("targetContentId", .contentName, \.targetContentID, "Which window of the app comes forward."),
    said("filterCriteria", .contentName, \.filterCriteria, "What a Focus decides by."),
    said("interruptionLevel", .words(InterruptionLevel.allCases), \.interruptionLevel),
    said("relevanceScore", .number, \.relevanceScore, "From 0 to 1; any number for a Live Activity."),
    said(
      "mutableContent", .flag,
      """
      Lets the Notification Service Extension run, which makes the receipt. Needs an alert. Absent: as the app's setting \
      `extension` says. With true a text that has no room moves to a page.
      """, says: { $0 }
    ) { $0.isMutable = $1 },
    said("contentAvailable", .flag, "Wakes the app in the background.", says: { $0 }) { $0.contentAvailable = $1 },
    said(
      "priority", priority, \.priority, "10 at once, 5 with regard to the battery, 1 without waking the device."),
    said(
      "collapseId", collapseID, \.collapseID,
      "A later push with the same one replaces this one; the SEQNO when absent. Printable ASCII."),
    said(
      "keepForDevice", .flag, \.isKeptForDevice,
      "False: Apple tries once, and keeps nothing for a device that is away."),
  ]

  /// Schemas that the members above refer to.
  package static let schemas: [JSONTree.Member] = [
    Alert.named, NotificationSound.named, LiveActivity.object.named,
    AndroidContent.object.named,
  ]

  // MARK: Forms

  /// Returns a member whose presence is recorded in `given`.
  /// - Parameter says: returns false for a value without effect, whose presence is not recorded.
  private static func said<Value>(
    _ name: String, _ form: JSONForm<Value>, _ about: String?,
    says: @escaping @Sendable (Value) -> Bool = { _ in true },
    _ set: @escaping @Sendable (inout MessageContent, Value) -> Void
  ) -> JSONField<MessageContent> {
    .given(name, form, about) { content, value in
      set(&content, value)
      if says(value) { content.given.insert(name) }
    }
  }

  private static func said<Value>(
    _ name: String, _ form: JSONForm<Value>, _ place: any WritableKeyPath<MessageContent, Value?> & Sendable,
    _ about: String? = nil
  ) -> JSONField<MessageContent> {
    said(name, form, about) { $0[keyPath: place] = $1 }
  }

  private static let translations = JSONForm(
    map(
      of: JSONSchema.reference("Alert"), upTo: Domain.Limits.translations,
      named: #"^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8}){0,7}([.@][^\u0000]*)?$"#),
    read: { (reader) throws(JSONError) in try readTranslations(&reader) })
  private static let variables = JSONForm(
    map(of: JSONSchema.text(upTo: Domain.Limits.variableBytes, isEmptyAllowed: true), upTo: 9, named: "^VAR[1-9]$"),
    read: { (reader) throws(JSONError) in try readVariables(&reader) })
  /// The form of custom payload keys: any names except `aps`, `mps` and `mdm`, which the server writes, with values of
  /// any type.
  package static let customKeys = JSONForm(
    .object([
      ("type", "object"),
      ("propertyNames", .object([("not", JSONSchema.words(["aps", "mps", "mdm"]))])),
    ]), read: { (reader) throws(JSONError) in try readData(&reader) })
  private static let priority = JSONForm(
    .object([("type", "integer"), ("enum", .list(PushPriority.allCases.map { .number(Int64($0.rawValue)) }))]),
    read: { (reader) throws(JSONError) in
      guard let known = PushPriority(rawValue: Int16(clamping: try reader.readInteger())) else {
        throw JSONError("must be 10 (at once), 5 (with regard to the battery) or 1 (without waking the device)")
      }
      return known
    })
  /// The form of the collapse id, whose characters are restricted because it becomes a header value.
  private static let collapseID = JSONForm<String>.text(
    upTo: Domain.Limits.collapseIDBytes, pattern: "^[!-~]([ -~]*[!-~])?$"
  ).mapped(
    by: { text in
      text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.utf8.first != 0x20 && text.utf8.last != 0x20
        ? text : nil
    }, else: "must be printable ASCII, without blanks at its ends", written: { $0 })

  private static func map(of schema: JSONTree, upTo count: Int, named pattern: String) -> JSONTree {
    .object([
      ("type", "object"), ("maxProperties", .number(count)),
      ("propertyNames", .object([("pattern", .text(pattern))])), ("additionalProperties", schema),
    ])
  }

  private static func readTranslations(_ reader: inout JSONReader) throws(JSONError) -> [Translation] {
    var translations: [Translation] = []
    try reader.readObject { (reader, tag) throws(JSONError) in
      guard let language = Language(tag) else { throw JSONError("must be named by a language, such as ko or en-GB") }
      guard !translations.contains(where: { $0.language == language }) else {
        throw JSONError.contradiction("is given twice: letters count without case")
      }
      guard translations.count < Domain.Limits.translations else {
        throw JSONError("is one more than the \(Domain.Limits.translations) languages that a message may have")
      }
      let pointer = JSONError.pointer(to: "translations", tag)
      translations.append(Translation(language: language, alert: try Alert.read(&reader), pointer: pointer))
    }
    return translations
  }

  private static func readData(_ reader: inout JSONReader) throws(JSONError) -> [Member] {
    var members: [Member] = []
    try reader.readObject { (reader, key) throws(JSONError) in
      guard !["aps", "mps", "mdm"].contains(key) else { throw JSONError("is made by the server") }
      members.append(Member(name: key, json: try reader.readRaw()))
    }
    return members
  }

  /// Parses `{"VAR1":"…"}` with any of `VAR1` … `VAR9`; a value may be empty. Throws for other names, and for values of
  /// more than `variableBytes`.
  private static func readVariables(_ reader: inout JSONReader) throws(JSONError) -> [Int: String] {
    var variables: [Int: String] = [:]
    try reader.readObject { (reader, key) throws(JSONError) in
      guard let number = (1...9).first(where: { key == "VAR\($0)" }) else { throw JSONError("must be VAR1 to VAR9") }
      let text = try reader.readString()
      guard text.utf8.count <= Domain.Limits.variableBytes else {
        throw JSONError("is longer than \(Domain.Limits.variableBytes) bytes")
      }
      variables[number] = text
    }
    return variables
  }
}

extension JSONForm<NotificationSound> {
  static let sound = JSONForm(
    JSONSchema.reference("Sound"), read: { (reader) throws(JSONError) in try NotificationSound.read(&reader) })
}

extension JSONForm<Alert> {
  static let alert = JSONForm(
    JSONSchema.reference("Alert"), read: { (reader) throws(JSONError) in try Alert.read(&reader) })
}
