import TestTier
import Testing

@testable import API

/// The API reference in a browser.
@Suite(.slow, .serialized) struct ReferencePageTests {
  /// Operations that axe-core reads together.
  private static let portion = 6

  @Test func `operations are found while one types, and examples have a button that copies them`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try browser.open("/docs/api")
    try browser.waitFor(".operations p:not([hidden]) #filter")
    let all = try browser.count(".operations li[data-words]")
    #expect(all > 150)
    try browser.click("#filter")
    for letter in "badge dev" { try browser.press(letter) }
    try browser.wait(
      "few operations",
      "return /^[1-9] of \(all)$/.test(document.querySelector('.operations [role=status]').textContent)")
    try browser.press(.enter)
    try browser.waitFor(".operations a[aria-current=location]")
    #expect(try browser.script("return document.querySelector(location.hash)?.tagName") as? String == "ARTICLE")
    #expect(
      try browser.script(
        "return document.querySelectorAll('main pre').length === document.querySelectorAll('main button.copy').length")
        as? Bool == true)
    try browser.script(
      """
      const one = document.querySelector('main details:has(button.copy)');
      one.open = true;
      one.querySelector('button.copy').click();
      """)
    try browser.wait(
      "the example to be copied or selected",
      """
      const one = document.querySelector('main details[open] button.copy');
      return one.textContent === 'Copied' || getSelection().toString().length > 10;
      """)
    try browser.expectSilence("the reference")
  }

  @Test(arguments: [("#sendMessage", "/docs/api/messages"), ("#schema-Problem", "/docs/api/schemas")])
  func `an address of the time when the reference was one page leads on`(_ place: String, _ path: String) throws {
    let console = try ConsoleWorld()
    try console.browser.open("/docs/api\(place)")
    try console.browser.wait(
      "the page of \(place)",
      """
      return location.pathname === arguments[0] && document.querySelector(location.hash)?.tagName === 'ARTICLE';
      """, [path])
  }

  @Test func `the language of samples that a reader opened is open on the next page`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try browser.open("/docs/api/devices")
    try browser.waitFor(".sample[data-language=curl][open]")
    try browser.click(".sample[data-language=python] summary")
    try browser.open("/docs/api/messages")
    try browser.waitFor(".sample[data-language=python][open]")
    #expect(try browser.count(".sample[data-language=curl][open]") == 0)
    let text = try browser.text(".sample[data-language=python][open] pre")
    #expect(text.contains("url = \"http://127.0.0.1:\(console.world.port)\""), "\(text)")
  }

  @Test func `a call that changes nothing is made from the page, by keyboard, and its key is kept nowhere`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try browser.open("/docs/api/messages")
    let form = "#listMessages .run"
    try browser.click("\(form) > summary")
    try browser.type("\(form) input[name=key]", "wrong")
    try browser.press(.enter)
    let says = "return document.querySelector('\(form) [role=status]').textContent.startsWith(arguments[0])"
    try browser.wait("a refusal", says, ["401"])
    try browser.type("\(form) input[name=key]", console.world.apiKey)
    try browser.press(.enter)
    try browser.wait("an answer", says, ["200"])
    let shown = try browser.text("\(form) pre")
    #expect(shown.contains("content-type: application/json") && shown.contains("\"items\""), "\(shown)")
    #expect(
      try browser.script("return document.querySelector('#showMessage .run input[name=key]').value") as? String
        == console.world.apiKey, "the key serves the other forms of the page")
    let kept = try browser.script(
      "return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])")
    #expect((kept as? String)?.contains(console.world.apiKey) == false)
    try browser.open("/docs/api/messages")
    try browser.waitFor("\(form)")
    let left = try browser.script("return document.querySelector('\(form) input[name=key]').value") as? String
    #expect(left == "")
    // The refusal was asked for.
    try browser.expectSilence("the reference", except: "401")
  }

  @Test func `every page is accessible, wide and light, and narrow, dark and Korean`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    // One generator writes all operations, so the second look reads a few of each page.
    for (theme, width, language, most) in [
      ("light", 1280, HandbookLanguage.english, Int.max), ("dark", 390, .korean, Self.portion),
    ] {
      try browser.resize(width: width, height: 900, isPhone: width < 600)
      try browser.prefer(theme: theme)
      for slug in Reference.slugs {
        let path = Reference.path(slug, language)
        try browser.open(path)
        try browser.waitFor(".operations p:not([hidden]) #filter")
        try browser.script(
          """
          const articles = [...document.querySelectorAll('article')].slice(0, 2);
          for (const one of articles.flatMap((article) => [...article.querySelectorAll('details')])) one.open = true;
          """)
        for finding in try findings(browser, slug, most: most) { Issue.record("\(path): \(finding)") }
        try browser.expectSilence(path)
      }
    }
    try browser.screenshot("reference-phone")
    for path in ["/docs", "/docs/send", "/docs/operate.ko"] {
      try browser.open(path)
      for finding in try browser.axeFindings() { Issue.record("\(path): \(finding)") }
    }
  }

  /// What axe-core finds, with a few operations on the page at a time: it looks through all of a page for each answer. On
  /// small pages our own rules too, which draw each colour.
  /// - Parameter most: number of operations to look at.
  private func findings(_ browser: Browser, _ slug: String, most: Int) throws -> [String] {
    if ["control", "server", "webhooks"].contains(slug) { return try browser.accessibilityFindings() }
    let count = min(try browser.count("main > article, main > details"), most)
    try browser.script(
      """
      window.parts = [...document.querySelectorAll('main > article, main > details')];
      for (const part of window.parts) part.remove();
      """)
    var findings = try browser.axeFindings()
    for first in stride(from: 0, to: count, by: Self.portion) {
      try browser.script(
        """
        for (const part of window.parts) part.remove();
        document.querySelector('main').append(...window.parts.slice(arguments[0], arguments[1]));
        """, [first, first + Self.portion])
      findings += try browser.axeFindings()
    }
    return findings
  }
}
