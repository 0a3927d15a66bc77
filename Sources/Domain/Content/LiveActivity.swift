internal import JSON

/// What a push does to a Live Activity. Times are seconds since 1970, as Apple has them in the payload.
///
/// Source: "Starting and updating Live Activities with ActivityKit push notifications".
package struct LiveActivity: Equatable, Sendable {
  /// What its times may be: up to the year 9999.
  package static let seconds: ClosedRange<Int64> = 0...253_402_300_799

  package enum Event: String, CaseIterable, Sendable {
    case start, update, end
  }

  package let event: Event
  /// Which of two updates is the newer one.
  package let timestamp: Int64
  /// An object that the app's own code decodes.
  package let contentState: [UInt8]?
  package let staleDate: Int64?
  /// For `end`: when it leaves the screen.
  package let dismissalDate: Int64?
  package let attributesType: String?
  package let attributes: [UInt8]?
  /// For `start`, iOS 18: ask for an update token, or listen to a channel.
  package let inputPushToken: Bool
  package let inputPushChannel: String?

  static func read(_ reader: inout JSONReader) throws(JSONError) -> LiveActivity {
    var form = Form()
    try reader.readObject { (reader, key) throws(JSONError) in try form.read(key, &reader) }
    return try form.checked()
  }

  private struct Form {
    var event: Event?
    var timestamp: Int64?
    var contentState: [UInt8]?
    var staleDate: Int64?
    var dismissalDate: Int64?
    var attributesType: String?
    var attributes: [UInt8]?
    var inputPushToken = false
    var inputPushChannel: String?

    mutating func read(_ key: String, _ reader: inout JSONReader) throws(JSONError) {
      switch key {
      case "event":
        guard let known = Event(rawValue: try reader.readString()) else {
          throw JSONError("must be start, update or end")
        }
        event = known
      case "timestamp": timestamp = try Self.readTime(&reader)
      case "contentState": contentState = try Self.readObject(&reader)
      case "staleDate": staleDate = try Self.readTime(&reader)
      case "dismissalDate": dismissalDate = try Self.readTime(&reader)
      case "attributesType": attributesType = try reader.readText(upTo: Domain.Limits.nameBytes)
      case "attributes": attributes = try Self.readObject(&reader)
      case "inputPushToken": inputPushToken = try reader.readBool()
      case "inputPushChannel": inputPushChannel = try reader.readText(upTo: Domain.Limits.nameBytes)
      default: throw .unknownField
      }
    }

    private static func readTime(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
      let seconds = try reader.readInteger()
      guard LiveActivity.seconds.contains(seconds) else {
        throw JSONError("must be seconds since 1970, up to the year 9999")
      }
      return seconds
    }

    private static func readObject(_ reader: inout JSONReader) throws(JSONError) -> [UInt8] {
      guard try reader.peek() == .object else { throw JSONError("must be an object") }
      return try reader.readRaw()
    }

    func checked() throws(JSONError) -> LiveActivity {
      guard let event else { throw JSONError("is needed: start, update or end").inside("event") }
      guard let timestamp else { throw JSONError("is needed, in seconds since 1970").inside("timestamp") }
      if event != .end, contentState == nil { throw JSONError.contradiction("is needed").inside("contentState") }
      if event == .start {
        guard attributesType != nil else {
          throw JSONError.contradiction("is needed to start").inside("attributesType")
        }
        guard attributes != nil else { throw JSONError.contradiction("is needed to start").inside("attributes") }
        if inputPushToken, inputPushChannel != nil {
          throw JSONError.contradiction("cannot be had beside inputPushToken").inside("inputPushChannel")
        }
      } else {
        for (name, isGiven) in [
          ("attributesType", attributesType != nil), ("attributes", attributes != nil),
          ("inputPushToken", inputPushToken), ("inputPushChannel", inputPushChannel != nil),
        ] where isGiven { throw JSONError.contradiction("is only for the event start").inside(name) }
      }
      if event != .end, dismissalDate != nil {
        throw JSONError.contradiction("is only for the event end").inside("dismissalDate")
      }
      return LiveActivity(
        event: event, timestamp: timestamp, contentState: contentState, staleDate: staleDate,
        dismissalDate: dismissalDate, attributesType: attributesType, attributes: attributes,
        inputPushToken: inputPushToken, inputPushChannel: inputPushChannel)
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.member("timestamp", timestamp)
    writer.member("event", event.rawValue)
    if let contentState { writer.member("content-state", raw: contentState) }
    if let staleDate { writer.member("stale-date", staleDate) }
    if let dismissalDate { writer.member("dismissal-date", dismissalDate) }
    if let attributesType { writer.member("attributes-type", attributesType) }
    if let attributes { writer.member("attributes", raw: attributes) }
    if inputPushToken { writer.member("input-push-token", 1) }
    if let inputPushChannel { writer.member("input-push-channel", inputPushChannel) }
  }
}
