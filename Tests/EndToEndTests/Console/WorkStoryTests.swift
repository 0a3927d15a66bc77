import Operations
import Postgres
import TestTier
import Testing

/// What several people do with one message: kept as a template, approved by a second one, with a page behind it.
@Suite(.slow, .serialized) struct WorkStoryTests {
  @Test(arguments: ["en", "ko"])
  func `a template is kept, used, and what is sent to many waits for a second person`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(12, users: 6)
    try console.waitForDevices(12)
    _ = try console.world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: console.world.apiKey, #"{"approvalAbove":5}"#)
    // Only an account that was there before the request is a second person's.
    try console.invite("lee@example.com", "이서연")
    try console.enter(language)
    try browser.show("/templates")
    try browser.click(".head .button.main")
    try browser.type("dialog[open] input[name=name]", "Payday 월급날")
    try browser.type("dialog[open] input[name=title]", "Salary")
    try browser.type("dialog[open] textarea[name=body]", "It is there, %CNAME%.")
    try browser.click("dialog[open] [type=submit]")
    try browser.click("main tbody a.button")
    try browser.waitFor("main[data-ready='/compose']")
    #expect(try browser.script("return document.querySelector('input[name=title]').value") as? String == "Salary")
    try browser.pick("all")
    try browser.wait("the reach", "return document.querySelector('#audience-count')?.innerText === '12'")
    try browser.click("#send")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/approvals/']")
    try browser.waitFor("[data-state=waiting]")
    let page = try browser.script("return location.hash.slice(1)") as? String ?? ""

    // Whoever asked is no second person, and reads so in their own language.
    let words = try browser.text("#approval-notes")
    #expect(words.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) } == (language == "ko"), "\(words)")
    #expect(try browser.count("#approve") == 0)
    let sent = try console.connection.run(Statement("test-sent", "SELECT count(*) FROM messages"))
    #expect(sent.int64(0, 0) == 0)

    try console.signOut()
    try console.enter(language, login: "lee@example.com", name: "이서연")
    try browser.show(page)
    try browser.screenshot("approval-\(language)-1280")
    for finding in try browser.accessibilityFindings() { Issue.record("an approval: \(finding)") }
    try approve(browser)
    try browser.waitFor("main[data-ready^='/messages/']")
    try browser.waitForFunnel("read", 12)
    let lines = try console.connection.run(
      Statement("test-approval", "SELECT action, actor FROM audit_log WHERE action LIKE 'approval.%' ORDER BY entry"))
    #expect((0..<lines.count).map { lines.text($0, 0) } == ["approval.request", "approval.approve"])
    #expect((0..<lines.count).map { lines.text($0, 1) } == ["kim@example.com", "lee@example.com"])
    try browser.expectSilence("the second person")
  }

  private func approve(_ browser: Browser) throws {
    try browser.click("#approve")
    try browser.type("dialog[open] input[name=typed]", "12")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
  }

  @Test func `a page with a picture is written for a message, and goes with it`() throws {
    let console = try ConsoleWorld(publicURL: "http://push.example.com")
    let browser = console.browser
    try console.startDevices(2, users: 1)
    try console.waitForDevices(2)
    try console.enter("en")
    try browser.show("/compose?clientUid=user0")
    try browser.click("details.section > summary")
    try browser.click("#write-page")
    try browser.type("dialog[open] input[name=title]", "Autumn <script>alert(1)</script>")
    try browser.type("dialog[open] [data-kind=text] textarea", "Leaves & <b>colours</b>.\n\nSecond.")
    try browser.click("dialog[open] [data-add=picture]")
    try browser.choose("dialog[open] [data-kind=picture] input[type=file]", file: console.picture())
    try browser.wait("the picture", "return document.querySelector('.page img')?.naturalWidth > 0")
    try browser.click("dialog[open] [data-add=link]")
    try browser.type("dialog[open] [data-kind=link] input", "Further")
    try browser.type("dialog[open] [data-kind=link] input[type=url]", "javascript:alert(1)")
    #expect(try browser.count(".page a") == 0)
    try browser.type("dialog[open] [data-kind=link] input[type=url]", "https://shop.example.com/autumn")
    try browser.waitFor(".page a[href='https://shop.example.com/autumn']")
    #expect(try browser.count(".page script, .page b") == 0)
    try browser.screenshot("page-editor-1280")
    for finding in try browser.accessibilityFindings() { Issue.record("the page's form: \(finding)") }
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("#page-written")
    try browser.type("textarea[name=body]", "It is autumn")
    #expect(try browser.text("#audience-count") == "2")
    try console.send()
    try browser.waitForFunnel("read", 2)
    let ext = try console.connection.run(Statement("test-ext", "SELECT request->>'ext' FROM messages")).text(0, 0)
    #expect(ext.hasPrefix("<!doctype html><html><head><meta charset=\"utf-8\">"), "\(ext)")
    #expect(ext.contains("<h1>Autumn &lt;script&gt;alert(1)&lt;/script&gt;</h1><p>Leaves &amp; &lt;b&gt;colours"))
    #expect(ext.contains("<a href=\"https://shop.example.com/autumn\">Further</a>"))
    #expect(ext.contains("<img src=\"http://push.example.com/m/") && !ext.contains("<script"))
    try browser.expectSilence("the page")
  }
}
