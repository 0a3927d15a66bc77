internal import JSON

/// A payload that starts a Live Activity.
struct ActivityStart {
  /// The broadcast channel that the activity will follow; nil if none.
  let channel: String?

  /// Parses a payload. Returns nil if it does not start an activity.
  init?(_ payload: [UInt8]) {
    var (event, channel) = (nil as String?, nil as String?)
    var reader = JSONReader(payload)
    try? reader.readObject { (reader, name) throws(JSONError) in
      guard name == "aps", try reader.peek() == .object else { return try reader.skip() }
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "event" where try reader.peek() == .string: event = try reader.readString()
        case "input-push-channel" where try reader.peek() == .string: channel = try reader.readString()
        default: try reader.skip()
        }
      }
    }
    guard event == "start" else { return nil }
    self.channel = channel
  }
}
