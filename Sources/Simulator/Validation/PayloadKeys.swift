internal import JSON

/// Validates the keys of a payload and their types, for strict validation: finds payloads that the real service accepts
/// but the device ignores, misinterprets or never shows.
///
/// Source: "Generating a remote notification" (tables of `aps`, `alert` and `sound`), "Starting and updating Live
/// Activities with ActivityKit push notifications", "Pushing background updates to your app".
struct PayloadKeys {
  private var top: [String: JSONReader.Kind] = [:]
  private var aps: Set<String> = []
  private var activity = Activity()

  private struct Activity {
    var event: String?
  }

  /// Returns whether the payload has the form that its push type requires. Without a push type, it is validated as an
  /// `alert`.
  static func isWellFormed(_ body: [UInt8], _ pushType: PushType?) -> Bool {
    var keys = PayloadKeys()
    do throws(JSONError) {
      try keys.read(body, pushType ?? .alert)
    } catch {
      return false
    }
    return keys.fit(pushType ?? .alert)
  }

  private mutating func read(_ body: [UInt8], _ pushType: PushType) throws(JSONError) {
    var reader = JSONReader(body)
    var keys = self
    try reader.readObject { (reader, name) throws(JSONError) in
      keys.top[name] = try reader.peek()
      guard name == "aps", keys.top[name] == .object else { return try reader.skip() }
      try reader.readObject { (reader, key) throws(JSONError) in
        keys.aps.insert(key)
        try keys.readAPS(key, &reader, pushType)
      }
    }
    try reader.finish()
    self = keys
  }

  // MARK: Combinations of keys

  private func fit(_ pushType: PushType) -> Bool {
    switch pushType {
    case .mdm: return top["mdm"] == .string && top["aps"] == nil
    case .fileprovider: return top["container-identifier"] == .string
    case .background: return aps == ["content-available"]
    case .controls, .widgets: return aps == ["content-changed"]
    case .liveactivity: return fitActivity()
    case .alert:
      let isSeen = !aps.isDisjoint(with: ["alert", "badge", "sound"])
      // iOS starts the extension only for alerts.
      return isSeen && (!aps.contains("mutable-content") || aps.contains("alert"))
    case .voip, .complication, .location, .pushtotalk: return top["aps"] == .object
    }
  }

  private func fitActivity() -> Bool {
    guard aps.isSuperset(of: ["timestamp", "event"]) else { return false }
    let isStart = activity.event == "start"
    if activity.event != "end", !aps.contains("content-state") { return false }
    let start: Set<String> = ["attributes-type", "attributes", "input-push-token", "input-push-channel"]
    return isStart ? aps.isSuperset(of: ["alert", "attributes-type", "attributes"]) : aps.isDisjoint(with: start)
  }

  // MARK: Values

  private static let refusal = JSONError("has not the form that Apple gives it")

  private mutating func readAPS(_ key: String, _ reader: inout JSONReader, _ type: PushType) throws(JSONError) {
    let isActivity = type == .liveactivity
    switch key {
    case "alert": try Self.readAlert(&reader, isActivity: isActivity)
    case "badge":
      guard try reader.readInteger() >= 0 else { throw Self.refusal }
    case "sound": try Self.readSound(&reader)
    case "thread-id", "category", "target-content-id", "filter-criteria": try Self.readText(&reader)
    case "content-available", "mutable-content", "input-push-token": try Self.readOne(&reader)
    case "content-changed":
      guard try reader.readBool() else { throw Self.refusal }
    case "interruption-level":
      let levels = ["passive", "active", "time-sensitive", "critical"]
      guard levels.contains(try reader.readString()) else { throw Self.refusal }
    case "relevance-score":
      let score = try Self.readNumber(&reader)
      guard isActivity || (0...1).contains(score) else { throw Self.refusal }
    default:
      guard isActivity else { throw Self.refusal }
      try readActivity(key, &reader)
    }
  }

  private mutating func readActivity(_ key: String, _ reader: inout JSONReader) throws(JSONError) {
    switch key {
    case "timestamp", "stale-date", "dismissal-date":
      guard try reader.readInteger() >= 0 else { throw Self.refusal }
    case "event":
      let event = try reader.readString()
      guard ["start", "update", "end"].contains(event) else { throw Self.refusal }
      activity.event = event
    case "content-state", "attributes":
      guard try reader.peek() == .object else { throw Self.refusal }
      try reader.skip()
    case "attributes-type", "input-push-channel": try Self.readText(&reader)
    default: throw Self.refusal
    }
  }

  private static func readAlert(_ reader: inout JSONReader, isActivity: Bool) throws(JSONError) {
    if try reader.peek() == .string, !isActivity { return try readText(&reader) }
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "title", "body":
        guard isActivity, try reader.peek() == .object else { return try readText(&reader) }
        try readLocalized(&reader)
      case "sound" where isActivity: try readSound(&reader)
      case _ where isActivity: throw refusal
      case "subtitle", "launch-image", "action-loc-key", "title-loc-key", "subtitle-loc-key", "loc-key":
        try readText(&reader)
      case "title-loc-args", "subtitle-loc-args", "loc-args": try readTexts(&reader)
      default: throw refusal
      }
    }
  }

  private static func readLocalized(_ reader: inout JSONReader) throws(JSONError) {
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "loc-key": try readText(&reader)
      case "loc-args": try readTexts(&reader)
      default: throw refusal
      }
    }
  }

  private static func readSound(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.peek() == .string { return try readText(&reader) }
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "critical": try readOne(&reader)
      case "name": try readText(&reader)
      case "volume":
        guard (0...1).contains(try readNumber(&reader)) else { throw refusal }
      default: throw refusal
      }
    }
  }

  private static func readText(_ reader: inout JSONReader) throws(JSONError) {
    _ = try reader.readString()
  }

  private static func readTexts(_ reader: inout JSONReader) throws(JSONError) {
    try reader.readArray { (reader, _) throws(JSONError) in try readText(&reader) }
  }

  private static func readOne(_ reader: inout JSONReader) throws(JSONError) {
    guard try reader.readInteger() == 1 else { throw refusal }
  }

  private static func readNumber(_ reader: inout JSONReader) throws(JSONError) -> Double {
    guard try reader.peek() == .number else { throw refusal }
    let text = try reader.readRaw()
    guard let number = Double(String(decoding: text, as: UTF8.self)) else { throw refusal }
    return number
  }
}
