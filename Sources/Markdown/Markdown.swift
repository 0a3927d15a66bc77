internal import CCMark
internal import Synchronization

/// Renders Markdown to HTML with the system's cmark-gfm (CommonMark 0.29 with GitHub's tables and autolinks).
///
/// ```
///   text ─► parse ─► tree ─► link targets rewritten ─► HTML ─► ids added to the headings
///                      └───► headings, links, raw HTML
/// ```
///
/// Values and one pure function. Raw HTML in the text never reaches the output: cmark replaces it with a comment, and
/// `rawHTML` lists it. The output therefore contains only tags that cmark writes.
///
/// Invariants: each heading of the output has a unique id, generated as GitHub does, so that a link to a section works
/// in both places. Texts are parsed one at a time: cmark-gfm keeps the special characters of its extensions in
/// process-wide tables.
///
/// Failure: none, because every text is valid Markdown. If memory is exhausted, cmark ends the process.
///
/// Decision 125.
package struct Markdown: Sendable {
  package struct Heading: Equatable, Sendable {
    /// The level of the heading, 1…6.
    package let level: Int
    package let id: String
    package let text: String
  }

  package struct Link: Equatable, Sendable {
    /// The link's target as written in the text, before rewriting.
    package let target: String
    package let text: String
    /// The index in `headings` of the heading that precedes the link; nil if there is none.
    package let heading: Int?
  }

  package let html: String
  package let headings: [Heading]
  package let links: [Link]
  /// The raw HTML in the text, which is omitted from the output.
  package let rawHTML: [String]

  /// Renders Markdown as HTML.
  /// - Parameter target: returns the target to write for each link target in the text.
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
