internal import Markdown

/// The entries of the handbook's sidebar: the pages to which the index page links, grouped by its headings and in its
/// order, followed by a group of all other pages, ordered by name.
struct HandbookContents: Sendable {
  struct Entry: Equatable, Sendable {
    let path: String
    let text: String
    let language: HandbookLanguage
  }

  struct Group: Equatable, Sendable {
    let title: String
    var entries: [Entry]
  }

  private(set) var groups: [Group] = []

  /// Creates the sidebar for a language.
  /// - Parameters:
  ///   - pages: all pages of the handbook, in all languages. Without an index page, there is only the last group.
  ///   - language: the language of the sidebar. Pages that are not translated into it are listed in English.
  init(_ pages: [HandbookPage], _ language: HandbookLanguage) {
    func page(at path: String) -> HandbookPage? { pages.first { $0.path == path } }
    func best(_ name: String) -> HandbookPage? {
      page(at: HandbookPage.path(name, language)) ?? page(at: HandbookPage.path(name, .english))
    }
    let index = best("index")
    var named: Set<String> = ["index"]
    for link in index?.text.links ?? [] {
      let path = HandbookPage.path(ofLink: link.target)
      let page = page(at: path)
      guard page != nil || Self.isReference(path), named.insert(page?.name ?? "api").inserted else { continue }
      let heading = link.heading.flatMap { index?.text.headings[$0].text } ?? ""
      if groups.last?.title != heading { groups.append(Group(title: heading, entries: [])) }
      groups[groups.count - 1].entries
        .append(Entry(path: path, text: link.text, language: page?.language ?? Self.language(ofReference: path)))
    }
    let others = Set(pages.map(\.name)).subtracting(named).sorted().compactMap(best)
    guard !others.isEmpty else { return }
    groups.append(
      Group(
        title: language.pick("More", "그 밖에"),
        entries: others.map { Entry(path: $0.path, text: $0.title, language: $0.language) }))
  }

  /// Returns whether a path is that of the index of the API reference, which is generated rather than read from a file.
  static func isReference(_ path: String) -> Bool {
    HandbookLanguage.allCases.contains { Reference.path("", $0) == path }
  }

  private static func language(ofReference path: String) -> HandbookLanguage {
    path == Reference.path("", .korean) ? .korean : .english
  }
}
