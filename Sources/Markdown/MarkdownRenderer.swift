internal import CCMark

/// Wraps cmark-gfm with its extensions enabled. For one caller at a time; see `Markdown`.
struct MarkdownRenderer: Sendable {
  private static let extensions = ["table", "autolink"]

  init() {
    cmark_gfm_core_extensions_ensure_registered()
  }

  func render(_ text: String, _ target: (String) -> String) -> Markdown {
    var text = text
    guard let parser = unsafe cmark_parser_new(CMARK_OPT_DEFAULT) else { fatalError("cmark makes no parser") }
    defer { unsafe cmark_parser_free(parser) }
    for name in Self.extensions {
      guard let one = unsafe cmark_find_syntax_extension(name) else { fatalError("cmark-gfm has no \(name)") }
      unsafe cmark_parser_attach_syntax_extension(parser, one)
    }
    text.withUTF8 { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe cmark_parser_feed(parser, $0.baseAddress, $0.count) }
    }
    guard let document = unsafe cmark_parser_finish(parser) else { fatalError("cmark makes no document") }
    defer { unsafe cmark_node_free(document) }
    let found = unsafe Self.walk(document, target)
    // Without CMARK_OPT_UNSAFE, cmark omits raw HTML and links such as `javascript:`.
    guard
      let html = unsafe cmark_render_html(document, CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser))
    else { fatalError("cmark renders nothing") }
    defer { unsafe cmark_get_default_mem_allocator().pointee.free(html) }
    return Markdown(
      html: Self.identified(unsafe String(cString: html), found.headings), headings: found.headings,
      links: found.links, rawHTML: found.rawHTML)
  }

  private typealias Found = (headings: [Markdown.Heading], links: [Markdown.Link], rawHTML: [String])

  /// Visits each node once, collects headings, links and raw HTML, and rewrites link targets.
  private static func walk(_ document: OpaquePointer, _ target: (String) -> String) -> Found {
    var found: Found = ([], [], [])
    var ids = HeadingIDs()
    let iterator = unsafe cmark_iter_new(document)
    defer { unsafe cmark_iter_free(iterator) }
    while true {
      let event = unsafe cmark_iter_next(iterator)
      if event == CMARK_EVENT_DONE { return found }
      guard event == CMARK_EVENT_ENTER, let node = unsafe cmark_iter_get_node(iterator) else { continue }
      switch unsafe cmark_node_get_type(node) {
      case CMARK_NODE_HEADING:
        let text = unsafe plainText(of: node)
        unsafe found.headings.append(
          Markdown.Heading(level: Int(cmark_node_get_heading_level(node)), id: ids.next(for: text), text: text))
      case CMARK_NODE_LINK:
        let written = unsafe string(cmark_node_get_url(node))
        unsafe found.links.append(
          Markdown.Link(
            target: written, text: plainText(of: node),
            heading: found.headings.isEmpty ? nil : found.headings.count - 1))
        unsafe cmark_node_set_url(node, target(written))
      case CMARK_NODE_HTML_BLOCK, CMARK_NODE_HTML_INLINE:
        unsafe found.rawHTML.append(string(cmark_node_get_literal(node)))
      default: break
      }
    }
  }

  /// Returns the text of a heading or link without formatting.
  private static func plainText(of node: OpaquePointer) -> String {
    var text = ""
    let iterator = unsafe cmark_iter_new(node)
    defer { unsafe cmark_iter_free(iterator) }
    while true {
      let event = unsafe cmark_iter_next(iterator)
      if event == CMARK_EVENT_DONE { return text }
      guard event == CMARK_EVENT_ENTER, let part = unsafe cmark_iter_get_node(iterator) else { continue }
      switch unsafe cmark_node_get_type(part) {
      case CMARK_NODE_TEXT, CMARK_NODE_CODE: unsafe text += string(cmark_node_get_literal(part))
      case CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK: text += " "
      default: break
      }
    }
  }

  private static func string(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "" }
    return unsafe String(cString: text)
  }

  /// Adds ids to the headings of the output. `<` in a text is escaped, so each `<h2>` and the like was written by
  /// cmark, and headings appear in the same order as in the tree.
  private static func identified(_ html: String, _ headings: [Markdown.Heading]) -> String {
    let bytes = Array(html.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 64 * headings.count)
    var written = 0
    var rest = headings[...]
    let opening = UInt8(ascii: "<")
    var next = 0
    while next + 3 < bytes.count {
      let index = next
      next += 1
      guard bytes[index] == opening, bytes[index + 1] == UInt8(ascii: "h"),
        (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(bytes[index + 2]), bytes[index + 3] == UInt8(ascii: ">")
      else { continue }
      guard let heading = rest.popFirst() else { break }
      result += bytes[written..<index + 3]
      result += " id=\"\(heading.id)\"".utf8
      written = index + 3
    }
    result += bytes[written...]
    return String(decoding: result, as: UTF8.self)
  }
}
