internal import CCMark
internal import Synchronization

/// Markdown as HTML, by the system's cmark-gfm (CommonMark 0.29 with GitHub's tables and autolinks).
///
/// ```
///   text ─► parse ─► tree ─► targets of links rewritten ─► HTML ─► ids put into the headings
///                      └───► headings, links, raw HTML
/// ```
///
/// Values and one pure function. Raw HTML in the text never reaches the output: cmark leaves a comment in its place, and
/// `rawHTML` says what it was. So the output holds the tags that cmark writes and nothing else.
///
/// Invariants: each heading of the output has an id of its own, made as GitHub makes it, so that a link to a section
/// works in both places. One text is parsed at a time: cmark-gfm keeps the special characters of its extensions in
/// tables of the process.
///
/// Failure: every text is Markdown, so there is none. Without memory cmark ends the process.
///
/// Decision 125.
package struct Markdown: Sendable {
  package struct Heading: Equatable, Sendable {
    /// 1…6.
    package let level: Int
    package let id: String
    package let text: String
  }

  package struct Link: Equatable, Sendable {
    /// As the text has it, before any rewriting.
    package let target: String
    package let text: String
    /// The heading it stands under, by its place in `headings`; nil before the first.
    package let heading: Int?
  }

  package let html: String
  package let headings: [Heading]
  package let links: [Link]
  /// What the text holds of HTML, and the output does not.
  package let rawHTML: [String]

  /// - Parameter target: what a link leads to in the output, by what it leads to in the text.
  package init(_ text: String, rewriting target: (String) -> String = { $0 }) {
    self = Self.renderer.withLock { renderer in renderer.render(text, target) }
  }

  init(html: String, headings: [Heading], links: [Link], rawHTML: [String]) {
    self.html = html
    self.headings = headings
    self.links = links
    self.rawHTML = rawHTML
  }

  private static let renderer = Mutex(MarkdownRenderer())
}
