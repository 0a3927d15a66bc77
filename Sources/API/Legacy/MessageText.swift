internal import Domain
internal import HTTPServer
internal import JSON

/// The text of a message, from the fields MESSAGE (plain text, or `{"title":"…","body":"…"}`) and SUB_TITLE (plain
/// text). Each field may be percent-encoded once more than the form requires.
struct MessageText {
  let title: String?
  let subtitle: String?
  let body: String

  init(_ form: Form) throws(LegacyRefusal) {
    let given = try form.required("MESSAGE", upTo: LegacyLimits.messageBytes)
    subtitle = try form.text("SUB_TITLE", upTo: Domain.Limits.payloadBytes).map(Self.decoded)
    let text = Self.decoded(given)
    guard text.first == "{" else {
      (title, body) = (nil, text)
      return
    }
    var reader = JSONReader(Array(text.utf8))
    var parts: (title: String?, body: String?) = (nil, nil)
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "title": parts.title = try reader.readString()
        case "body": parts.body = try reader.readString()
        default: try reader.skip()
        }
      }
      try reader.finish()
    } catch {
      // The text is not valid JSON, so it is plain text that happens to begin with a brace.
      parts = (nil, text)
    }
    if parts.body == nil {
      guard parts.title == nil else { throw LegacyRefusal(field: "MESSAGE", "has a title and no body") }
      parts.body = text
    }
    guard let body = parts.body, !body.isEmpty else { throw LegacyRefusal(field: "MESSAGE", "has an empty body") }
    title = parts.title?.isEmpty == true ? nil : parts.title
    self.body = body
  }

  func write(to writer: inout JSONWriter) {
    guard title != nil || subtitle != nil else { return writer.member("alert", body) }
    writer.member(
      "alert",
      object: { writer in
        if let title { writer.member("title", title) }
        if let subtitle { writer.member("subtitle", subtitle) }
        writer.member("body", body)
      })
  }

  /// Decodes text that is still percent-encoded after the form was decoded. Returns the text unchanged if it contains
  /// characters that percent-encoding does not leave, as a sentence with a percent sign does, or if it has no escape, a
  /// malformed one, or one for NUL.
  static func decoded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var escapes = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "%"): escapes += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        continue
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "~"),
        UInt8(ascii: "*"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"):
        continue
      default: return text
      }
    }
    guard escapes > 0, let decoded = FormDecoding.decode(bytes.span), !decoded.utf8.contains(0) else { return text }
    return decoded
  }
}
