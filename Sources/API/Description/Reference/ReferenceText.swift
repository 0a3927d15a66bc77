internal import JSON

/// Renders texts and examples of the document as HTML.
enum ReferenceText {
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { html, character in
      switch character {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      default: html.append(character)
      }
    }
  }

  /// Returns a text as HTML paragraphs. Supports the few Markdown elements that the document's texts use: paragraphs,
  /// `code` and **strong**; everything else is escaped.
  static func prose(_ text: String) -> String {
    var paragraphs: [String] = [""]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        paragraphs.append("")
      } else {
        paragraphs[paragraphs.count - 1] += "\(line) "
      }
    }
    return paragraphs.map { "<p>\(self.line($0))</p>" }.joined()
  }

  static func line(_ text: String) -> String {
    let parts = escaped(text).replacing("\\|", with: "|").split(separator: "`", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      if index % 2 == 1 { return "<code>\(part)</code>" }
      let strong = part.split(separator: "**", omittingEmptySubsequences: false)
      return strong.enumerated().map { $0 % 2 == 1 ? "<b>\($1)</b>" : String($1) }.joined()
    }.joined()
  }

  static func code(_ node: JSONTree) -> String {
    "<code>\(escaped(String(decoding: node.bytes, as: UTF8.self)))</code>"
  }

  /// Returns a collapsed HTML block with an example as indented JSON.
  static func example(_ node: JSONTree, title: String) -> String {
    "<details><summary>\(escaped(title))</summary>\(block(node.pretty()))</details>\n"
  }

  /// Returns the text, escaped, as a preformatted HTML block that can be scrolled with the keyboard.
  static func block(_ text: String) -> String { "<pre tabindex=\"0\">\(escaped(text))</pre>" }
}
