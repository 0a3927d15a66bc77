internal import JSON

/// What a message carries: everything of a send that shapes the payload or its headers, the badge excepted.
///
/// Reading takes each field for itself; whether they fit together is for `ContentRules`.
package struct MessageContent: Equatable, Sendable {
  /// As it was asked for, or found from the rest by `settle`.
  package internal(set) var pushType = PushType.alert
  package var alert: Alert?
  /// The same in other languages, for devices whose locale asks for one.
  package var translations: [Translation] = []
  /// Nil: not said, which means the default sound.
  package var sound: NotificationSound?
  package var category: String?
  package var threadID: String?
  package var targetContentID: String?
  /// Nil: not said.
  package var isMutable: Bool?
  package var contentAvailable = false
  package var interruptionLevel: InterruptionLevel?
  package var relevanceScore: JSONNumber?
  package var filterCriteria: String?
  package var liveActivity: LiveActivity?
  /// The PushMagic of a managed device.
  package var mdm: String?
  package var media: Media?
  /// For the app, at best `type|title|…|url`.
  package var ext: String?
  /// Custom keys beside `aps` and `mps`: names and JSON values as they were given.
  package var data: [Member] = []
  /// What stands for `%VAR1%` … where the audience says nothing.
  package var variables: [Int: String] = [:]
  /// False: `%CUID%` and its like are text as any other.
  package var fillsVariables = true
  package var collapseID: String?
  package var priority: PushPriority?
  /// Nil: as the push type has it.
  package var isKeptForDevice: Bool?

  /// The app has a Notification Service Extension. No part of the request: whoever makes payloads of it says so.
  package var appHasExtension = false

  /// Fields of the request that say something, by name.
  var given: Set<String> = []
  var askedPushType: PushType?

  package struct Translation: Equatable, Sendable {
    package let language: Language
    package let alert: Alert
  }

  package struct Member: Equatable, Sendable {
    package let name: String
    package let json: [UInt8]
  }

  /// A picture, sound or film that the app's extension fetches and shows.
  package enum Media: Equatable, Sendable {
    case url(String)
    /// A file that was uploaded to this server.
    case upload(String)
  }

  /// The extension of the app may change the notification: asked for, or needed to show the media.
  package var isMutableInEffect: Bool { isMutable ?? (media != nil) }

  /// The payload starts the extension of the app, which makes the receipt: iOS does so for this alone. What is not shown
  /// starts none.
  package var startsExtension: Bool {
    isMutable ?? (media != nil || appHasExtension && pushType == .alert && alert != nil)
  }

  package var languages: LanguageTable { LanguageTable(translations.map(\.language)) }

  package var tokenKind: TokenKind { pushType.tokenKind(startsActivity: liveActivity?.event == .start) }
}

// MARK: Reading

extension MessageContent {
  /// Reads a field of the request. False when it is none of the content's.
  mutating func read(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
    var isGiven = try readText(key, &reader)
    if isGiven == nil { isGiven = try readSetting(key, &reader) }
    if isGiven == nil { isGiven = try readHeader(key, &reader) }
    guard let isGiven else { return false }
    if isGiven { given.insert(key) }
    return true
  }

  /// Nil when the field is another one; false when its value says nothing.
  private mutating func readText(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool? {
    switch key {
    case "alert": alert = try Alert.read(&reader)
    case "translations": translations = try Self.readTranslations(&reader)
    case "ext": ext = try reader.readText(upTo: Domain.Limits.hostedTextBytes)
    case "data": data = try Self.readData(&reader)
    case "variables": variables = try Self.readVariables(&reader)
    case "mdm": mdm = try reader.readText(upTo: Domain.Limits.nameBytes)
    case "liveActivity": liveActivity = try LiveActivity.read(&reader)
    case "mediaUrl": media = .url(try reader.readText(upTo: Domain.Limits.payloadBytes))
    case "media": media = .upload(try reader.readText(upTo: Domain.Limits.nameBytes))
    default: return nil
    }
    return true
  }

  private mutating func readSetting(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool? {
    let limit = Domain.Limits.nameBytes
    switch key {
    case "sound":
      sound = try NotificationSound.read(&reader)
      return sound != .silent
    case "mutableContent":
      isMutable = try reader.readBool()
      return isMutable == true
    case "contentAvailable":
      contentAvailable = try reader.readBool()
      return contentAvailable
    case "fillVariables":
      fillsVariables = try reader.readBool()
      return false
    case "category": category = try reader.readText(upTo: limit)
    case "threadId": threadID = try reader.readText(upTo: limit)
    case "targetContentId": targetContentID = try reader.readText(upTo: limit)
    case "filterCriteria": filterCriteria = try reader.readText(upTo: limit)
    case "interruptionLevel": interruptionLevel = try InterruptionLevel.read(&reader)
    case "relevanceScore": relevanceScore = try JSONNumber.read(&reader)
    default: return nil
    }
    return true
  }

  private mutating func readHeader(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool? {
    switch key {
    case "pushType":
      guard let known = PushType(rawValue: try reader.readString()) else {
        throw JSONError("must be one of \(PushType.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      askedPushType = known
    case "priority":
      guard let known = PushPriority(rawValue: Int16(clamping: try reader.readInteger())) else {
        throw JSONError("must be 10 (at once), 5 (with regard to the battery) or 1 (without waking the device)")
      }
      priority = known
    case "collapseId": collapseID = try Self.readCollapseID(&reader)
    case "keepForDevice": isKeptForDevice = try reader.readBool()
    default: return nil
    }
    return true
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
      translations.append(Translation(language: language, alert: try Alert.read(&reader)))
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

  /// `{"VAR1":"…"}`
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

  private static func readCollapseID(_ reader: inout JSONReader) throws(JSONError) -> String {
    let text = try reader.readText(upTo: Domain.Limits.collapseIDBytes)
    // It becomes a header.
    guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), text.utf8.first != 0x20, text.utf8.last != 0x20 else {
      throw JSONError("must be printable ASCII, without blanks at its ends")
    }
    return text
  }
}
