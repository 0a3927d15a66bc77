import Testing

@testable import Markdown

@Suite struct MarkdownTests {
  @Test func `headings get ids as GitHub makes them, also in Korean and where one occurs twice`() {
    let text = "# What `upmc` does, and why\n\n## 백업과 복구\n\n## Backup\n\n### Backup\n"
    let page = Markdown(text)
    #expect(page.headings.map(\.id) == ["what-upmc-does-and-why", "백업과-복구", "backup", "backup-1"])
    #expect(page.headings.map(\.level) == [1, 2, 2, 3])
    #expect(page.headings[0].text == "What upmc does, and why")
    #expect(page.html.contains("<h1 id=\"what-upmc-does-and-why\">What <code>upmc</code> does, and why</h1>"))
    #expect(page.html.contains("<h3 id=\"backup-1\">Backup</h3>"))
  }

  @Test func `tables and bare addresses are understood`() {
    let page = Markdown("| a | b |\n| --- | --- |\n| `x\\|y` | https://example.com/z |\n")
    #expect(page.html.contains("<table>") && page.html.contains("<th>a</th>"))
    #expect(page.html.contains("<code>x|y</code>"))
    #expect(page.html.contains("<a href=\"https://example.com/z\">https://example.com/z</a>"))
  }

  @Test func `raw HTML is left out and named, and a link runs nothing`() {
    let page = Markdown("<script>alert(1)</script>\n\na <b>word</b> [here](javascript:alert(1)) & <h1>\n")
    #expect(page.rawHTML == ["<script>alert(1)</script>\n", "<b>", "</b>", "<h1>"])
    for tag in ["<script", "<b>", "<h1>", "javascript:"] { #expect(!page.html.contains(tag), "\(tag)") }
  }

  @Test func `a link is told with its words and its heading, and leads where it is sent`() {
    let page = Markdown("[a](a.md)\n\n# One\n\n- [the *b* page](b.md#part)\n") {
      "/docs/" + $0.replacing(".md", with: "")
    }
    #expect(
      page.links == [
        Markdown.Link(target: "a.md", text: "a", heading: nil),
        Markdown.Link(target: "b.md#part", text: "the b page", heading: 0),
      ])
    #expect(page.html.contains("<a href=\"/docs/a\">") && page.html.contains("<a href=\"/docs/b#part\">"))
  }

  @Test func `many threads may render at once`() async {
    let text = (1...50).map { "## Part \($0)\n\n| a | www.example.com |\n| --- | --- |\n| 1 | 2 |\n" }.joined()
    let expected = Markdown(text).html
    await withTaskGroup(of: Bool.self) { group in
      for _ in 1...16 { group.addTask { Markdown(text).html == expected } }
      for await isSame in group { #expect(isSame) }
    }
  }
}
