internal import Time

/// The type of a field in FCM's message, from the published schema (fcm v1, `Message`), in protobuf's JSON mapping:
/// names in snake_case or lowerCamelCase, and null for absent values.
indirect enum MessageShape: Sendable {
  case text
  case flag
  case integer
  case real
  /// A duration in seconds followed by `s`, with up to nine fractional digits.
  case duration
  /// An RFC 3339 timestamp.
  case timestamp
  /// A map from strings to strings.
  case textMap
  /// Any object (google.protobuf.Struct).
  case anything
  case word(type: String, [String])
  case list(MessageShape)
  case object([String: MessageShape])

  static let request = object(["validate_only": .flag, "message": message])

  static let message = object([
    "name": .text, "token": .text, "topic": .text, "condition": .text, "fid": .text,
    "data": .textMap,
    "notification": .object(["title": .text, "body": .text, "image": .text]),
    "android": android, "apns": apns, "webpush": webpush,
    "fcm_options": .object(["analytics_label": .text]),
  ])

  private static let android = object([
    "collapse_key": .text, "priority": .word(type: "AndroidMessagePriority", ["NORMAL", "HIGH"]), "ttl": .duration,
    "restricted_package_name": .text, "data": .textMap, "notification": androidNotification,
    "fcm_options": .object(["analytics_label": .text]), "direct_boot_ok": .flag, "bandwidth_constrained_ok": .flag,
    "restricted_satellite_ok": .flag,
  ])

  private static let androidNotification = object([
    "title": .text, "body": .text, "icon": .text, "color": .text, "sound": .text, "tag": .text, "click_action": .text,
    "body_loc_key": .text, "body_loc_args": .list(.text), "title_loc_key": .text, "title_loc_args": .list(.text),
    "channel_id": .text, "ticker": .text, "sticky": .flag, "event_time": .timestamp, "local_only": .flag,
    "notification_priority": .word(
      type: "AndroidNotification.NotificationPriority",
      ["PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH", "PRIORITY_MAX"]),
    "default_sound": .flag, "default_vibrate_timings": .flag, "default_light_settings": .flag,
    "vibrate_timings": .list(.duration),
    "visibility": .word(
      type: "AndroidNotification.Visibility", ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
    "notification_count": .integer,
    "light_settings": .object([
      "color": .object(["red": .real, "green": .real, "blue": .real, "alpha": .real]), "light_on_duration": .duration,
      "light_off_duration": .duration,
    ]),
    "image": .text,
    "proxy": .word(
      type: "AndroidNotification.Proxy", ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    "bypass_proxy_notification": .flag,
  ])

  private static let apns = object([
    "headers": .textMap, "payload": .anything, "live_activity_token": .text,
    "fcm_options": .object(["analytics_label": .text, "image": .text]),
  ])

  private static let webpush = object([
    "headers": .textMap, "data": .textMap, "notification": .anything,
    "fcm_options": .object(["link": .text, "analytics_label": .text]),
  ])
}

/// Validates a JSON tree against a shape and describes violations in Google's words.
struct ShapeCheck {
  private(set) var violations: [FCMError.Violation] = []

  mutating func check(_ tree: MessageTree, _ shape: MessageShape, at path: String) {
    if tree == .null { return }
    switch (shape, tree) {
    case (.text, .text), (.flag, .flag), (.anything, .object): return
    case (.integer, .number(let digits)), (.integer, .text(let digits)):
      if Int32(digits) == nil { refuse(tree, "TYPE_INT32", path) }
    case (.real, .number): return
    case (.duration, .text(let text)): checkDuration(text, path)
    case (.timestamp, .text(let text)):
      if !Self.isTimestamp(text) { refuse(tree, "type.googleapis.com/google.protobuf.Timestamp", path) }
    case (.word(let type, let words), .text(let word)):
      if !words.contains(word.uppercased()) {
        refuse(tree, "type.googleapis.com/google.firebase.fcm.v1.\(type)", path)
      }
    case (.textMap, .object(let members)):
      for (index, member) in members.enumerated() where member.value.string == nil {
        refuse(member.value, "TYPE_STRING", "\(path)[\(index)].value")
      }
    case (.list(let element), .list(let elements)):
      for (index, value) in elements.enumerated() { check(value, element, at: "\(path)[\(index)]") }
    case (.object(let fields), .object(let members)): checkMembers(members, fields, path)
    default: refuse(tree, Self.type(of: shape), path)
    }
  }

  private mutating func checkMembers(
    _ members: [MessageTree.Member], _ fields: [String: MessageShape], _ path: String
  ) {
    var seen: Set<String> = []
    for member in members {
      let name = Self.snakeCase(member.name)
      guard let shape = fields[name], !seen.contains(name) else {
        let place = path.isEmpty ? "" : " at '\(path)'"
        violations.append(
          .init(path, "Invalid JSON payload received. Unknown name \"\(member.name)\"\(place): Cannot find field."))
        continue
      }
      seen.insert(name)
      check(member.value, shape, at: path.isEmpty ? name : "\(path).\(name)")
    }
  }

  private mutating func refuse(_ tree: MessageTree, _ type: String, _ path: String) {
    violations.append(.init(path, "Invalid value at '\(path)' (\(type)), \(tree.shown)"))
  }

  private mutating func checkDuration(_ text: String, _ path: String) {
    if MessageDuration(text) != nil { return }
    violations.append(
      .init(
        path,
        "Invalid value at '\(path)' (type.googleapis.com/google.protobuf.Duration), Field '\(path)', Illegal duration format; duration must end with 's'"
      ))
  }

  private static func type(of shape: MessageShape) -> String {
    switch shape {
    case .text: "TYPE_STRING"
    case .flag: "TYPE_BOOL"
    case .integer: "TYPE_INT32"
    case .real: "TYPE_FLOAT"
    case .duration: "type.googleapis.com/google.protobuf.Duration"
    case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
    case .word(let type, _): "type.googleapis.com/google.firebase.fcm.v1.\(type)"
    case .textMap: "Map"
    case .anything: "type.googleapis.com/google.protobuf.Struct"
    case .list: "TYPE_REPEATED"
    case .object: "TYPE_MESSAGE"
    }
  }

  /// Returns the schema's spelling of a field name, which may be in lowerCamelCase.
  static func snakeCase(_ name: String) -> String {
    guard name.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return name }
    var text = ""
    for character in name {
      if character.isUppercase { text += "_" }
      text += character.lowercased()
    }
    return text
  }

  private static func isTimestamp(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54, bytes[13] == 0x3A,
      bytes[16] == 0x3A
    else { return false }
    return bytes.last == 0x5A || text.dropFirst(19).contains { $0 == "+" || $0 == "-" }
  }
}

/// A protobuf duration in JSON, for example `3.5s`.
struct MessageDuration: Equatable {
  /// The duration in whole seconds, rounded down.
  let seconds: Int64

  init?(_ text: String) {
    guard text.last == "s" else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.count <= 2, let seconds = Int64(whole) else { return nil }
    if parts.count == 2 {
      guard (1...9).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
    }
    self.seconds = seconds
  }
}
