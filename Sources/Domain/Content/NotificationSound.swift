internal import JSON

/// What is heard.
package enum NotificationSound: Equatable, Sendable {
  case silent
  /// A file of the app, or `default`.
  case named(String)
  /// Heard even when the device is muted; the app needs Apple's permission. The volume is a number from 0 to 1, as it was
  /// written.
  case critical(name: String, volume: JSONNumber?)

  static func read(_ reader: inout JSONReader) throws(JSONError) -> NotificationSound {
    if try reader.readNull() { return .silent }
    if try reader.peek() == .string { return .named(try reader.readText(upTo: Domain.Limits.nameBytes)) }
    var name = "default"
    var isCritical = false
    var volume: JSONNumber?
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "name": name = try reader.readText(upTo: Domain.Limits.nameBytes)
      case "critical": isCritical = try reader.readBool()
      case "volume":
        let number = try JSONNumber.read(&reader)
        guard (0...1).contains(number.value) else { throw JSONError("must be a number from 0 to 1") }
        volume = number
      default: throw .unknownField
      }
    }
    guard isCritical else {
      throw JSONError("must be true; for an ordinary sound give its name only").inside("critical")
    }
    return .critical(name: name, volume: volume)
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .silent: break
    case .named(let name): writer.member("sound", name)
    case .critical(let name, let volume):
      writer.member(
        "sound",
        object: { writer in
          writer.member("critical", 1)
          writer.member("name", name)
          if let volume { writer.member("volume", raw: volume.text) }
        })
    }
  }
}

/// A number that is passed on as it was written.
package struct JSONNumber: Equatable, Sendable {
  package let text: [UInt8]
  package let value: Double

  static func read(_ reader: inout JSONReader) throws(JSONError) -> JSONNumber {
    guard try reader.peek() == .number else { throw JSONError("must be a number") }
    let text = try reader.readRaw()
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      throw JSONError("must be a number")
    }
    return JSONNumber(text: text, value: value)
  }
}

/// How much a notification may disturb. Raw values are Apple's.
package enum InterruptionLevel: String, CaseIterable, Sendable {
  case passive
  case active
  case timeSensitive = "time-sensitive"
  case critical

  static func read(_ reader: inout JSONReader) throws(JSONError) -> InterruptionLevel {
    guard let level = InterruptionLevel(rawValue: try reader.readString()) else {
      throw JSONError("must be passive, active, time-sensitive or critical")
    }
    return level
  }
}
