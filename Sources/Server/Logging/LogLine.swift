internal import JSON
internal import PlainText

/// Formats one log line in logfmt: `time=… level=… part=… msg="…" key=value key="a value"`.
///
/// Values may come from others, such as a token endpoint's error or a webhook's answer. They are escaped so that none
/// can begin a line, imitate another value, or send control characters to the reader's terminal.
enum LogLine {
  /// Maximum length of a message or value in bytes; the rest is cut off.
  static let valueBytes = 2_048

  static func text(
    time: String, level: String, part: String, message: String, details: [(key: String, value: String)]
  ) -> String {
    let all = details.map { " \($0.key)=\(quoted(bounded($0.value)))" }.joined()
    return "time=\(time) level=\(level) part=\(part) msg=\(quoted(bounded(message)))\(all)"
  }

  /// Returns a value as it is if it needs no quotes, otherwise in quotes with `"` and `\` escaped.
  private static func quoted(_ value: String) -> String {
    let visible = VisibleText.of(value)
    let isPlain =
      !visible.isEmpty && visible.utf8.allSatisfy { $0 != 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
    guard !isPlain || visible.utf8.count != value.utf8.count else { return visible }
    // `VisibleText` writes escapes that begin with a backslash; only the value's own backslashes are doubled.
    var inner = ""
    for character in value.unicodeScalars {
      if character == "\"" || character == "\\" { inner.unicodeScalars.append("\\") }
      inner.unicodeScalars.append(character)
    }
    return "\"\(VisibleText.of(inner))\""
  }

  /// Returns the beginning of a long text, followed by the number of bytes that were cut off.
  static func bounded(_ text: String) -> String {
    guard text.utf8.count > valueBytes else { return text }
    let shown = text.beginning(bytes: valueBytes)
    return "\(shown)… (\(text.utf8.count - shown.utf8.count) bytes more)"
  }
}
