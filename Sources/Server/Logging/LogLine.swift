internal import JSON
internal import PlainText

/// One log line as text, in logfmt: `time=… level=… part=… msg="…" key=value key="a value"`. Pure.
///
/// Values are untrusted: a token endpoint's error, a webhook's reason. None can begin a line, imitate another value, or
/// send control characters to the reader's terminal.
enum LogLine {
  /// Most bytes of a message or a value; the rest is cut off. Far more than ours ever have.
  static let valueBytes = 2_048

  static func text(
    time: String, level: String, part: String, message: String, details: [(key: String, value: String)]
  ) -> String {
    let all = details.map { " \($0.key)=\(quoted(bounded($0.value)))" }.joined()
    return "time=\(time) level=\(level) part=\(part) msg=\(quoted(bounded(message)))\(all)"
  }

  /// The value itself if it needs no quotes; otherwise in quotes, with `\"` and `\\` escaped.
  private static func quoted(_ value: String) -> String {
    let visible = VisibleText.of(value)
    let isPlain =
      !visible.isEmpty && visible.utf8.allSatisfy { $0 != 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
    guard !isPlain || visible.utf8.count != value.utf8.count else { return visible }
    // Escapes written by `VisibleText` begin with a backslash; a backslash of the value itself is doubled.
    var inner = ""
    for character in value.unicodeScalars {
      if character == "\"" || character == "\\" { inner.unicodeScalars.append("\\") }
      inner.unicodeScalars.append(character)
    }
    return "\"\(VisibleText.of(inner))\""
  }

  /// The beginning of a long text, and how many bytes were cut off.
  static func bounded(_ text: String) -> String {
    guard text.utf8.count > valueBytes else { return text }
    let shown = text.beginning(bytes: valueBytes)
    return "\(shown)… (\(text.utf8.count - shown.utf8.count) bytes more)"
  }
}
