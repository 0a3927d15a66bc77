import Postgres
import Simulator
import TestTier
import Testing

/// Small things that mislead.
@Suite(.slow, .serialized) struct CarefulConsoleTests {
  @Test(arguments: ["en", "ko"])
  func `an empty message says what is missing, and Enter in a title sends nothing`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter(language)
    try browser.show("/compose")
    try browser.click("#send")
    try browser.waitFor("#trouble .note.bad")
    #expect(try browser.script("return document.activeElement.name") as? String == "clientUids")
    try browser.pick("all")
    try browser.click("#send")
    try browser.waitFor("textarea[name=body][aria-invalid=true]")
    #expect(try browser.script("return document.activeElement.name") as? String == "body")
    for finding in try browser.accessibilityFindings() { Issue.record("what is missing: \(finding)") }
    try browser.type("textarea[name=body]", "B")
    try browser.type("input[name=title]", "T")
    #expect(try browser.text("#audience-count") == "3")
    try browser.press(.enter)
    #expect(try browser.count("dialog[open]") == 0)
    try browser.click("#send")
    try browser.waitFor("dialog[open]")
    // A key that is pressed once too often goes back.
    try browser.press(.enter)
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    let sent = try console.connection.run(Statement("test-careful", "SELECT count(*) FROM messages"))
    #expect(sent.int64(0, 0) == 0)
    try browser.expectSilence("the empty message")
  }

  @Test func `a file's campaign is tested and shown with its first line's values`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(4, users: 2)
    try console.waitForDevices(4)
    try console.enter("en")
    let path = console.file("people.csv", "CUID,NAME,VAR1\nuser1,\"Lee, Jr.\",2000\nuser0,Kim,1000\n")
    try browser.show("/compose")
    try browser.pick("csv")
    try browser.choose("input[type=file][name=csv]", file: path)
    try browser.waitFor("#csv-result p")
    try browser.type("textarea[name=body]", "%CNAME%: %VAR1%")
    try browser.wait(
      "the preview", "return document.querySelector('.screen .b')?.innerText === 'Lee, Jr.: 2000'")
    try browser.type("input[name=me]", "user0")
    try browser.notice(".toast:not(.bad)") { try browser.click("#test-send") }
    let test = try console.connection.run(
      Statement("test-trial", "SELECT purpose, request->'variables'->>'VAR1' FROM messages", isKept: false))
    try #require(test.count == 1)
    #expect(test.int16(0, 0) == 2 && test.text(0, 1) == "2000")
    try browser.expectSilence("the test")
  }

  @Test(arguments: ["en", "ko"])
  func `a test that Apple refuses says so where it was made, and counts nowhere`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.register("good", token: World.token("a1"), user: "kim")
    try console.world.register("bad", token: World.token("a2"), user: "kim")
    console.world.simulator.register(token: World.token("a2"), state: .unregistered(since: .max / 1_000_000))
    try console.enter(language)
    try browser.show("/compose")
    try browser.type("textarea[name=body]", "A test")
    try browser.type("input[name=me]", "kim")
    try browser.click("#test-send")
    try browser.waitFor("#test-result [data-reason=Unregistered]")
    try browser.wait(
      "the other device", "return document.querySelector('#test-result').innerText.includes(arguments[0])",
      [language == "ko" ? "2대 중 1대 접수" : "accepted for 1 of 2 devices"])
    for finding in try browser.accessibilityFindings() { Issue.record("the test's result: \(finding)") }
    try browser.screenshot("test-refused-\(language)")
    // Statistics and the list of campaigns know nothing of it.
    try browser.open("/")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/messages")
    #expect(try browser.count("main tbody tr") == 0)
    let report = try console.world.client.call(
      "GET", "/v1/admin/statistics?appId=\(World.appID)&by=day", bearer: console.world.apiKey)
    #expect((report["total"] as? [String: Any])?["accepted"] as? Int == 0, "\(report.text)")
    try browser.expectSilence("the refused test")
  }

  @Test func `what is said while a form closes stays in sight`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(10)
    let seqno = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    try console.enter("en")
    try browser.show("/messages/\(seqno)")
    try browser.click("[data-action=pace]")
    try browser.pick("none")
    // It may be there for less than the time between two looks from here.
    try browser.script(
      """
      window.stayed = false;
      new MutationObserver(() => {
        window.stayed ||= document.querySelector('dialog') === null
          && [...document.querySelectorAll('.toast')].some((one) => one.innerText === 'Rate limit changed');
      }).observe(document.body, { childList: true, subtree: true });
      """)
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the notice", "return window.stayed")
    try browser.expectSilence("the pace")
  }

  @Test func `an audience of more devices than are counted is confirmed by typing too`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter("en")
    try browser.show("/compose")
    // As the server answers for more than a million.
    try browser.script(
      """
      const real = window.fetch;
      window.fetch = async (address, options) => {
        const answer = await real(address, options);
        if (!String(options?.body).includes('dryRun')) return answer;
        return new Response(JSON.stringify({ ...await answer.json(), targeted: null }), { status: answer.status });
      };
      """)
    try browser.pick("all")
    try browser.type("textarea[name=body]", "News")
    #expect(try browser.text("#audience-count") == "1,000,000+")
    try browser.click("#send")
    #expect(try browser.text("dialog[open] h2") == "Send to 1,000,000+ devices now?")
    #expect(try browser.count("dialog[open] [type=submit]:disabled") == 1)
    try browser.type("dialog[open] input[name=typed]", "1,000,000")
    #expect(try browser.count("dialog[open] [type=submit]:disabled") == 0)
    try browser.press(.escape)
    try browser.expectSilence("the question")
  }

  @Test func `a picture that came in here is seen in the preview`() throws {
    let console = try ConsoleWorld(publicURL: "http://push.example.com")
    let browser = console.browser
    try console.enter("en")
    try browser.show("/compose")
    try browser.type("textarea[name=body]", "Look")
    try browser.click("details[data-section=media] > summary")
    try browser.choose("input[name=picture]", file: console.picture())
    try browser.wait("the picture", "return document.querySelector('.screen img')?.naturalWidth > 0")
    try browser.expectSilence("the picture")
  }

  @Test func `keys of all apps are listed for each app`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    for (name, app) in [("everything", ""), ("card only", #","appId":"com.example.card""#)] {
      if !app.isEmpty {
        _ = try console.world.client.call(
          "POST", "/v1/admin/apps", bearer: console.world.apiKey, #"{"appId":"com.example.card","name":"Card"}"#)
      }
      let made = try console.world.client.call(
        "POST", "/v1/admin/api-keys", bearer: console.world.apiKey, #"{"role":"admin","name":"\#(name)"\#(app)}"#)
      #expect(made.status == 201, "\(made.text)")
    }
    try console.enter("en")
    try browser.select("#app-chooser", World.appID)
    try browser.show("/keys")
    let text = try browser.text("main tbody")
    #expect(text.contains("everything") && !text.contains("card only"), "\(text)")
  }

  @Test func `a template of another app makes a message of that app, and failures are chosen from a list`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(2)
    _ = try console.world.client.call(
      "POST", "/v1/admin/apps", bearer: console.world.apiKey, #"{"appId":"com.example.card","name":"Card"}"#)
    _ = try console.world.client.call(
      "POST", "/v1/admin/templates", bearer: console.world.apiKey,
      #"{"appId":"\#(World.appID)","name":"Bank","message":{"alert":"Of the bank"}}"#)
    let seqno = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(seqno)
    try console.enter("en")
    try browser.select("#app-chooser", "com.example.card")
    try browser.show("/compose?template=1")
    #expect(try browser.value("select[name=appId]") == World.appID)
    try browser.show("/messages/\(seqno)?tab=failures&reason=Unregistered")
    #expect(try browser.value("select[name=reason]") == "Unregistered")
    try browser.expectSilence("the template")
  }

  @Test func `a customer's page says what was sent, and what was agreed to`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(4, users: 2)
    try console.waitForDevices(4)
    let seqno = try console.world.send(#"{"clientUids":["user1"]}"#)
    _ = try console.world.finished(seqno)
    try console.connection.script("UPDATE devices SET consent_ad = false, consent_ad_at = now()")
    try console.enter("ko")
    try browser.show("/people/\(World.appID)/user1")
    try browser.waitFor("#history a[href='#/messages/\(seqno)/people/user1']")
    #expect(try browser.text("#consents").contains("광고"))
    try browser.screenshot("person-ko-full-1280")
    for finding in try browser.accessibilityFindings() { Issue.record("the customer: \(finding)") }
    try browser.expectSilence("the customer")
  }
}
