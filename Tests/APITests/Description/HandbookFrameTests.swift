import Markdown
import Testing

@testable import API

/// The frame around pages, on pages made up here.
@Suite struct HandbookFrameTests {
  private func page(_ file: String, _ source: String) throws -> HandbookPage {
    try #require(
      HandbookPage(fileName: file, source: source) { name, language in
        name == "list" ? "| a |\n| --- |\n| \(language.rawValue) |" : nil
      })
  }

  @Test func `a file's name gives its path and language, and links between files become links between pages`() throws {
    #expect(try page("operate.md", "# A").path == "/docs/operate")
    #expect(try page("operate.ko.md", "# A").path == "/docs/operate.ko")
    #expect(try page("index.md", "# A").path == "/docs")
    #expect(try page("index.ko.md", "# A").path == "/docs/index.ko")
    for name in ["Operate.md", "a b.md", ".md", "operate.txt", "../x.md"] {
      #expect(HandbookPage(fileName: name, source: "", insertion: { _, _ in nil }) == nil, "\(name)")
    }
    #expect(HandbookPage.path(ofLink: "send.ko.md#media") == "/docs/send.ko#media")
    #expect(HandbookPage.path(ofLink: "#media") == "#media")
    #expect(HandbookPage.path(ofLink: "https://example.com/a.md") == "https://example.com/a.md")
  }

  @Test func `a named block is replaced by what it stands for, and another one stays`() throws {
    let text = "# A\n\n```upmc list\nupmc serve --help\n```\n\n```upmc other\nkept\n```\n\nend\n"
    let html = try page("a.ko.md", text).text.html
    #expect(html.contains("<td>ko</td>") && !html.contains("serve --help"))
    #expect(html.contains("kept") && html.contains("<p>end</p>"))
  }

  @Test func `the sidebar has the index's order, then what the index does not name`() throws {
    let pages = [
      try page(
        "index.md",
        "# Book\n\n## First\n\n- [B page](b.md)\n- [gone](gone.md)\n- [API](/docs/api)\n\n## Second\n\n- [A page](a.md)"
      ),
      try page("a.md", "# A"), try page("b.md", "# B"), try page("b.ko.md", "# 나"), try page("new.md", "# New one"),
    ]
    let groups = HandbookContents(pages, .english).groups
    #expect(groups.map(\.title) == ["First", "Second", "More"])
    #expect(groups[0].entries.map(\.path) == ["/docs/b", "/docs/api"])
    #expect(groups[1].entries.map(\.text) == ["A page"])
    #expect(groups[2].entries.map(\.text) == ["New one"])
  }

  @Test func `titles are text, never markup`() throws {
    let pages = [try page("index.md", "# A & `<b>`")]
    let frame = HandbookFrame(
      contents: HandbookContents(pages, .english), language: .english, path: "/docs", translation: nil)
    let html = frame.html(title: pages[0].title, body: pages[0].text.html, sections: [("a", "<i>"), ("b", "&")])
    #expect(html.contains("<title>A &amp; &lt;b&gt; · UPMC</title>"))
    #expect(html.contains("<a href=\"#a\">&lt;i&gt;</a>"))
  }
}
