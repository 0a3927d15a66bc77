import Foundation
import Operations
import Postgres
import TestSupport
import TestTier
import Testing

/// What operators look at, in a browser: what happens, servers that are told of it, rules for ads.
@Suite(.slow, .serialized) struct OperationStoryTests {
  @Test(arguments: ["en", "ko"])
  func `a webhook is made and tried, and what was given up is told again`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter(language)
    try browser.show("/webhooks")
    try browser.click("#new-webhook")
    try browser.type("dialog[open] input[name=url]", "nowhere")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("dialog[open] [aria-invalid=true]")
    try browser.type("dialog[open] input[name=url]", "https://hooks.example.com/upmc")
    try browser.click("dialog[open] [type=submit]")
    #expect(try browser.text("dialog[open] [data-secret]").hasPrefix("whsec_"))
    try browser.press(.escape)
    try browser.waitFor("main[data-ready^='/webhooks/']")
    try browser.click("#test-webhook")
    try browser.wait("the event", "return document.querySelectorAll('main tbody tr').length === 1")
    try console.connection.script(
      "UPDATE event_deliveries SET state = 2, ended_at = now(), attempts = 11, reason = 'HTTP 500'")
    try browser.click("#replay-dead")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("nothing dead", "return document.querySelector('#replay-dead')?.hidden")
    let audit = try console.connection.run(
      Statement("test-webhooks", "SELECT action FROM audit_log WHERE action LIKE 'webhook.%' ORDER BY entry"))
    #expect((0..<audit.count).map { audit.text($0, 0) } == ["webhook.create", "webhook.test", "webhook.replay"])
    try browser.expectSilence("the webhook")
  }

  @Test(arguments: ["en", "ko"])
  func `an app's rules for ads are set, and an ad without its label is refused in the reader's language`(
    language: String
  ) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter(language)
    try browser.show("/apps/\(World.appID)")
    try browser.type("#ad-rules input[name=optOut]", "무료수신거부")
    try browser.type("#ad-rules input[name=label]", "(광고)")
    try browser.notice(".toast:not(.bad)") { try browser.click("#ad-rules [type=submit]") }
    try browser.show("/compose?clientUid=user0")
    try browser.type("textarea[name=body]", "20 % off")
    try browser.select("select[name=kind]", "ad")
    let refusal = try browser.text(".card .note.bad")
    #expect(refusal.contains("(광고)"))
    #expect(refusal.contains("광고이므로") == (language == "ko"), "\(refusal)")
    try browser.expectSilence("the ad", except: "422")
  }

  @Test(arguments: ["en", "ko"])
  func `an app is deleted only when its id is typed, and restored`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter(language)
    try browser.show("/apps/\(World.appID)")
    try browser.click("#delete-app")
    try browser.type("dialog[open] input[name=typed]", "com.example")
    #expect(try browser.count("dialog[open] [type=submit]:disabled") == 1)
    try browser.type("dialog[open] input[name=graceDays]", "7")
    try browser.type("dialog[open] input[name=typed]", World.appID)
    #expect(try browser.accessibilityFindings() == [])
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("#restore-app")
    #expect(try browser.accessibilityFindings() == [])
    #expect(try console.world.count("SELECT extract(day FROM purge_after - deleting_since)::bigint FROM apps") == 7)
    try browser.click("#restore-app")
    try browser.waitFor("#delete-app")
    #expect(try console.world.count("SELECT count(*) FROM apps WHERE purge_after IS NULL") == 1)
    try browser.expectSilence("deleting an app")
  }

  @Test func `the dashboard is told what happens, without being asked again`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(6, users: 3)
    try console.waitForDevices(6)
    let first = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(first)
    try console.enter("en")
    // No stream tells what needs somebody: a page asks for it every minute, however long that is for this test.
    try browser.script(
      """
      const real = window.setTimeout.bind(window);
      window.setTimeout = (action, wait, ...values) => (wait === 60000 ? 0 : real(action, wait, ...values));
      """)
    try browser.show("/")
    try browser.waitFor("#live:not(.off)")
    // What was asked before may be answered, and listed, later.
    try browser.script("performance.clearResourceTimings(); window.since = performance.now();")
    let second = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(second)
    try browser.wait(
      "the numbers of both",
      "return document.querySelector('[data-tile=accepted] dd')?.innerText === '12'")
    let asked = try browser.script(
      """
      return performance.getEntriesByType('resource')
        .filter((one) => one.startTime > window.since && one.name.includes('/v1/admin/')).map((one) => one.name);
      """)
    #expect(asked as? [String] == [], "the page has asked by itself")
    try browser.expectSilence("the dashboard")
  }

  @Test func `the demonstration prints a link that signs in to its console once`() throws {
    let demo = try DemoProcess()
    let path = try demo.link()
    let browser = try Browser(port: demo.port)
    try browser.open(path)
    try browser.type("input[name=new]", "correct horse battery")
    try browser.type("input[name=again]", "correct horse battery")
    try browser.click("[type=submit]")
    try browser.type("input[name=login]", "admin")
    try browser.type("input[name=password]", "correct horse battery")
    try browser.click("[type=submit]")
    // A demonstration that stood still for ten seconds goes on before all are there; the page is told of the rest.
    try browser.waitFor("main[data-ready='/']")
    try browser.wait("65 pushes", "return document.querySelector('[data-tile=accepted] dd')?.innerText === '65'")
    try browser.click(".me summary")
    try browser.click("#sign-out")
    try browser.waitFor("input[name=login]")
    try browser.expectSilence("the demonstration")
    try browser.open(path)
    try browser.waitFor("input[name=login]")
    #expect(try browser.count("input[name=new]") == 0)
    try browser.expectSilence("the link again", except: "401")
  }
}
