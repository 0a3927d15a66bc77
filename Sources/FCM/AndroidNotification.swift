internal import Domain
internal import JSON

/// The notification that Android displays by itself while the app is in the background. Derived from a recipient's APNs
/// payload, in which variables and languages are already inserted, and encoded as FCM's `AndroidNotification`.
struct AndroidNotification {
  private var texts: [(name: String, text: String)] = []
  private var arguments: [(name: String, list: [String])] = []
  private var count: Int64?
  private var isShown = false

  /// Creates the notification; nil if the payload has no alert, so that there is nothing to display.
  /// - Parameter content: the message's Android-specific settings.
  init?(_ payload: [UInt8], _ content: AndroidContent) {
    var reader = JSONReader(payload)
    do throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "aps": try readAPS(&reader)
        case ContentRules.mediaKey where try reader.peek() == .string: readImage(try reader.readString())
        default: try reader.skip()
        }
      }
    } catch {
      return nil
    }
    guard isShown else { return nil }
    for (name, text) in [
      ("channel_id", content.channelID), ("icon", content.icon), ("color", content.color),
      ("click_action", content.clickAction),
    ] {
      if let text { texts.append((name, text)) }
    }
    if let image = content.image {
      texts.removeAll { $0.name == "image" }
      texts.append(("image", image))
    }
  }

  /// Returns the size of the texts in bytes, which count against FCM's payload limit.
  func textBytes(tag: String) -> Int {
    texts.reduce(tag.utf8.count) { $0 + $1.text.utf8.count }
      + arguments.reduce(0) { $0 + $1.list.reduce(0) { $0 + $1.utf8.count } }
  }

  /// Encodes the notification as JSON.
  /// - Parameter tag: a notification replaces an earlier one with the same tag.
  func json(tag: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, text) in texts { writer.member(name, text) }
      for (name, list) in arguments {
        writer.member(name, array: { writer in for argument in list { writer.value(argument) } })
      }
      if let count { writer.member("notification_count", count) }
      writer.member("tag", tag)
    }
    return writer.bytes
  }

  // MARK: Reading

  private mutating func readAPS(_ reader: inout JSONReader) throws(JSONError) {
    var found = self
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "alert": try found.readAlert(&reader)
      case "sound": try found.readSound(&reader)
      case "badge": found.count = try reader.readInteger()
      default: try reader.skip()
      }
    }
    self = found
  }

  /// Apple's names of the text fields, and Android's. Android has no subtitle.
  private static let lines = [
    "title": "title", "body": "body", "title-loc-key": "title_loc_key", "loc-key": "body_loc_key",
  ]
  /// Apple's names of the lists of localization arguments, and Android's.
  private static let lists = ["title-loc-args": "title_loc_args", "loc-args": "body_loc_args"]

  private mutating func readAlert(_ reader: inout JSONReader) throws(JSONError) {
    isShown = true
    if try reader.peek() == .string { return texts.append(("body", try reader.readString())) }
    var found = self
    try reader.readObject { (reader, name) throws(JSONError) in
      if let line = Self.lines[name] {
        found.texts.append((line, try reader.readString()))
      } else if let list = Self.lists[name] {
        var values: [String] = []
        try reader.readArray { (reader, _) throws(JSONError) in values.append(try reader.readString()) }
        found.arguments.append((list, values))
      } else {
        try reader.skip()
      }
    }
    self = found
  }

  /// Reads the sound: a file name, or Apple's dictionary for a critical alert.
  private mutating func readSound(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.peek() == .string { return texts.append(("sound", try reader.readString())) }
    var found = self
    try reader.readObject { (reader, name) throws(JSONError) in
      guard name == "name" else { return try reader.skip() }
      found.texts.append(("sound", try reader.readString()))
    }
    self = found
  }

  /// Reads the image URL. Android displays only still images and GIFs, so other media are ignored.
  private mutating func readImage(_ url: String) {
    let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
    guard [".jpg", ".jpeg", ".png", ".webp", ".gif"].contains(where: path.hasSuffix) else { return }
    texts.append(("image", url))
  }
}
