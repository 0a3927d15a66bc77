package import JSON

/// The sound that a message requests for its notification.
package enum NotificationSound: Equatable, Sendable {
  case silent
  /// Name of a sound file in the app, or `default`.
  case named(String)
  /// A critical sound, played even when the device is muted; the app needs Apple's permission. The volume is in 0…1;
  /// nil for the system's default.
  case critical(name: String, volume: JSONNumber?)

  static func read(_ reader: inout JSONReader) throws(JSONError) -> NotificationSound {
    if try reader.readNull() { return .silent }
    if try reader.peek() == .string { return .named(try JSONForm.contentName.read(&reader)) }
    let critical = try Critical.object.read(&reader)
    return .critical(name: critical.name, volume: critical.volume)
  }

  package static let named: JSONTree.Member = (
    "Sound",
    JSONSchema.oneOf([
      JSONSchema.optional(JSONForm.contentName.schema).titled("SoundName"), Critical.object.form.schema,
    ]).adding(
      "description", "A file in the app; `default` when absent, null for silence.")
  )

  private struct Critical {
    var isCritical = false
    var name = "default"
    var volume: JSONNumber?

    static let object = JSONObject(
      "CriticalSound", isNamed: false, about: "A critical alert: heard even when the device is muted.",
      from: Critical(),
      [
        .required("critical", mark, \.isCritical, missing: objection), .given("name", .contentName, \.name),
        .given("volume", loudness, \.volume),
      ])

    private static let objection: Sentence = "must be true; for an ordinary sound give its name only"
    private static let mark = JSONForm.flag.described(JSONSchema.alwaysTrue).mapped(
      by: { $0 ? true : nil }, else: objection, written: { $0 })
    private static let loudness = JSONForm<JSONNumber>.number.described(
      .object([("type", "number"), ("minimum", .number(0)), ("maximum", .number(1))])
    ).mapped(
      by: { (0...1).contains($0.value) ? $0 : nil }, else: "must be a number from 0 to 1", written: { $0 })
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

/// A JSON number that keeps its original spelling in `text`.
package struct JSONNumber: Equatable, Sendable {
  package let text: [UInt8]
  package let value: Double

  fileprivate static func read(_ reader: inout JSONReader) throws(JSONError) -> JSONNumber {
    guard try reader.peek() == .number else { throw JSONError("must be a number") }
    let text = try reader.readRaw()
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      throw JSONError("must be a number")
    }
    return JSONNumber(text: text, value: value)
  }
}

/// The prominence of a notification. Raw values are Apple's.
package enum InterruptionLevel: String, CaseIterable, Sendable {
  case passive
  case active
  case timeSensitive = "time-sensitive"
  case critical
}

extension JSONForm<JSONNumber> {
  static let number = JSONForm(
    .object([("type", "number")]), read: { (reader) throws(JSONError) in try JSONNumber.read(&reader) })
}

extension JSONForm<String> {
  /// The form of a short name in a message's content: 1 to 256 bytes.
  static let contentName = JSONForm.text(upTo: Domain.Limits.nameBytes)
}
