internal import JSON

/// Validates a message beyond its schema: exactly one target, no reserved data keys, times and sizes within limits.
enum MessageRules {
  static func judge(_ message: MessageTree, isValidateOnly: Bool) -> Result<FCMMessage, FCMError> {
    do throws(FCMError) {
      let target = try target(of: message)
      let android = message.member("android")
      let data = android?.member("data")?.textMap ?? message.member("data")?.textMap ?? [:]
      try checkKeys(message.member("data"), at: "message.data")
      try checkKeys(android?.member("data"), at: "message.android.data")
      let ttl = try ttl(of: android)
      try checkWords(message)
      let payload = apnsPayload(of: message)
      try checkSizes(message, data, payload, isTopic: isTopic(target))
      let activity = message.member("apns")?.member("live_activity_token")?.string
      try checkActivity(activity, message, isTopic: isTopic(target))
      var taken = FCMMessage(
        target: target, isValidateOnly: isValidateOnly, data: data, apnsPayload: payload,
        collapseKey: android?.member("collapse_key")?.string,
        isHighPriority: android?.member("priority")?.string?.uppercased() == "HIGH", ttlSeconds: ttl,
        hasNotification: message.member("notification") != nil || android?.member("notification") != nil)
      taken.androidNotification = android?.member("notification")
      taken.analyticsLabel =
        android?.member("fcm_options")?.member("analytics_label")?.string
        ?? message.member("fcm_options")?.member("analytics_label")?.string
      taken.liveActivityToken = activity
      return .success(taken)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Target

  private static func target(of message: MessageTree) throws(FCMError) -> FCMMessage.Target {
    let names = ["token", "fid", "topic", "condition"].filter { message.member($0) != nil }
    guard let name = names.first else {
      throw FCMError(
        400, "Recipient of the message is not set.",
        [.badRequest([.init("message", "Recipient of the message is not set.")]), .fcm("INVALID_ARGUMENT")])
    }
    guard names.count == 1 else {
      throw .violations([
        .init(
          "message",
          "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '\(names[1])'")
      ])
    }
    let value = message.member(name)?.string ?? ""
    switch name {
    case "token":
      guard RegistrationName.isToken(value) else { throw .badToken }
      return .token(value)
    case "fid":
      guard RegistrationName.isFID(value) else {
        throw FCMError(
          400, "Invalid Firebase installation ID",
          [.badRequest([.init("message.fid", "Invalid Firebase installation ID")]), .fcm("INVALID_ARGUMENT")])
      }
      return .fid(value)
    case "topic":
      guard isTopicName(value) else {
        throw FCMError(
          400, "Invalid topic name.",
          [.badRequest([.init("message.topic", "Invalid topic name.")]), .fcm("INVALID_ARGUMENT")])
      }
      return .topic(value)
    default:
      let topics = value.split(separator: "'", omittingEmptySubsequences: false).count / 2
      guard value.contains("in topics"), (1...Limits.topicsInCondition).contains(topics) else {
        throw FCMError(
          400, "Invalid condition expression provided.",
          [
            .badRequest([.init("message.condition", "Invalid condition expression provided.")]),
            .fcm("INVALID_ARGUMENT"),
          ])
      }
      return .condition(value)
    }
  }

  private static func isTopic(_ target: FCMMessage.Target) -> Bool {
    switch target {
    case .token, .fid: false
    case .topic, .condition: true
    }
  }

  private static func isTopicName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { RegistrationName.isBase($0) || [0x2E, 0x7E, 0x25].contains($0) }
  }

  // MARK: Fields

  private static func checkKeys(_ data: MessageTree?, at path: String) throws(FCMError) {
    for key in (data?.textMap ?? [:]).keys.sorted() {
      let isReserved = key == "from" || key == "message_type" || key.hasPrefix("google") || key.hasPrefix("gcm")
      guard isReserved else { continue }
      throw FCMError(
        400, "Invalid data payload key: \(key)",
        [.badRequest([.init(path, "Invalid data payload key: \(key)")]), .fcm("INVALID_ARGUMENT")])
    }
  }

  private static func ttl(of android: MessageTree?) throws(FCMError) -> Int64 {
    guard let text = android?.member("ttl")?.string, let ttl = MessageDuration(text) else { return Limits.ttlSeconds }
    guard (0...Limits.ttlSeconds).contains(ttl.seconds) else {
      let words = "Invalid ttl: must be between 0 and \(Limits.ttlSeconds) seconds"
      throw FCMError(400, words, [.badRequest([.init("message.android.ttl", words)]), .fcm("INVALID_ARGUMENT")])
    }
    return ttl.seconds
  }

  private static func checkWords(_ message: MessageTree) throws(FCMError) {
    let android = message.member("android")
    if let color = android?.member("notification")?.member("color")?.string, !isColor(color) {
      let words = "Invalid color: must be in the form #RRGGBB"
      throw FCMError(
        400, words, [.badRequest([.init("message.android.notification.color", words)]), .fcm("INVALID_ARGUMENT")])
    }
    for (path, block) in [
      ("message", message), ("message.android", android), ("message.apns", message.member("apns")),
      ("message.webpush", message.member("webpush")),
    ] {
      guard let label = block?.member("fcm_options")?.member("analytics_label")?.string else { continue }
      guard (1...50).contains(label.utf8.count), isTopicName(label) else {
        let words = "Invalid analytics label"
        throw FCMError(
          400, words, [.badRequest([.init("\(path).fcm_options.analytics_label", words)]), .fcm("INVALID_ARGUMENT")])
      }
    }
  }

  /// Validates a message to a Live Activity. An invalid token is reported as Apple's BadDeviceToken.
  private static func checkActivity(
    _ token: String?, _ message: MessageTree, isTopic: Bool
  ) throws(FCMError) {
    guard let token else { return }
    let isHex = !token.isEmpty && token.utf8.count % 2 == 0 && token.utf8.allSatisfy { ASCII.hexadecimal($0) != nil }
    guard isHex, !isTopic else { throw .badActivityToken }
    guard message.member("apns")?.member("payload")?.member("aps")?.member("event")?.string != nil else {
      throw FCMError(
        400, "Invalid Live Activity payload",
        [.badRequest([.init("message.apns.payload", "aps.event is missing")]), .fcm("INVALID_ARGUMENT")])
    }
  }

  private static func isColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.first == "#" && text.utf8.dropFirst().allSatisfy { ASCII.hexadecimal($0) != nil }
  }

  // MARK: Sizes

  private static func apnsPayload(of message: MessageTree) -> [UInt8]? {
    guard let apns = message.member("apns") else { return nil }
    var members: [MessageTree.Member] = []
    if case .object(let given)? = apns.member("payload") { members = given }
    // For Apple, FCM turns data into custom keys beside `aps`.
    for (name, value) in (message.member("data")?.textMap ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard !members.contains(where: { $0.name == name }) else { continue }
      members.append(.init(name: name, value: .text(value)))
    }
    var writer = JSONWriter()
    MessageTree.object(members).write(to: &writer)
    return writer.bytes
  }

  private static func checkSizes(
    _ message: MessageTree, _ data: [String: String], _ payload: [UInt8]?, isTopic: Bool
  ) throws(FCMError) {
    let most = isTopic ? Limits.topicPayloadBytes : Limits.payloadBytes
    var bytes = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    for block in [message.member("notification"), message.member("android")?.member("notification")] {
      guard case .object(let members)? = block else { continue }
      bytes += members.reduce(0) { $0 + ($1.value.string?.utf8.count ?? 0) }
    }
    if bytes > most { throw .tooBig }
    if let payload, payload.count > Limits.payloadBytes { throw .apnsTooBig }
  }
}

/// Validates the two kinds of names that FCM gives a device.
enum RegistrationName {
  /// Returns whether the text is a registration token: an installation id, a colon, and FCM's part.
  static func isToken(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, text.utf8.count <= Limits.registrationBytes else {
      return false
    }
    return text.utf8.allSatisfy { isBase($0) || $0 == 0x3A || $0 == 0x2E }
  }

  /// Returns whether the text is a Firebase installation id: 22 characters of base64url whose first four bits are 0111.
  static func isFID(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count == 22 else { return false }
    return (0x63...0x66).contains(first) && text.utf8.allSatisfy(isBase)
  }

  static func isBase(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}
