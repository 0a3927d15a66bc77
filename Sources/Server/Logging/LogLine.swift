internal import JSON
internal import PlainText

/// One line of the log as text, in logfmt: `time=… level=… part=… msg="…" key=value key="a value"`. Pure.
///
/// Values come from anywhere: a token endpoint's error, a webhook's reason. None can begin a line of its own, look like
/// another value, or reach the terminal of whoever reads the log.
enum LogLine {
  /// Most bytes of a message or a value; the rest is left out. Far more than our own ever have.
  static let valueBytes = 2_048

  static func text(
    time: String, level: String, part: String, message: String, details: [(key: String, value: String)]
  ) -> String {
    let all = details.map { " \($0.key)=\(quoted(bounded($0.value)))" }.joined()
    return "time=\(time) level=\(level) part=\(part) msg=\(quoted(bounded(message)))\(all)"
  }

  /// A value as it stands when nothing in it could end it; else in quotes, with `\"` and `\\` inside.
  private static func quoted(_ value: String) -> String {
    let visible = VisibleText.of(value)
    let isPlain =
      !visible.isEmpty && visible.utf8.allSatisfy { $0 != 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
    guard !isPlain || visible.utf8.count != value.utf8.count else { return visible }
    // What was written out already begins with a backslash; one of the value's own becomes two.
    var inner = ""
    for character in value.unicodeScalars {
      if character == "\"" || character == "\\" { inner.unicodeScalars.append("\\") }
      inner.unicodeScalars.append(character)
    }
    return "\"\(VisibleText.of(inner))\""
  }

  /// The beginning of what is too long, and how much is missing.
  static func bounded(_ text: String) -> String {
    guard text.utf8.count > valueBytes else { return text }
    let shown = text.beginning(bytes: valueBytes)
    return "\(shown)… (\(text.utf8.count - shown.utf8.count) bytes more)"
  }
}
