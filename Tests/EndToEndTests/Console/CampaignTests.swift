import Domain
import Operations
import Postgres
import TestSupport
import TestTier
import Testing
import Time

/// What marketers and operators do all day, in a browser.
@Suite(.slow, .serialized) struct CampaignTests {
  @Test(arguments: ["en", "ko"])
  func `a message to a group is written, sent and watched until it is read, and explained for one person`(
    language: String
  ) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(12, users: 6)
    try console.waitForDevices(12)
    try console.enter(language)
    try browser.show("/groups")
    try browser.click(".head .button.main")
    try browser.type("dialog[open] input[name=name]", "News 소식")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/groups/']")
    try browser.click("#add-members")
    try browser.type("dialog[open] textarea", "user1 user2\nuser3, nobody")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("three members", "return document.querySelectorAll('main tbody tr').length === 3")
    try browser.wait("their number", "return document.querySelector('#member-count').innerText.includes('3')")
    try browser.click(".head .button.main")
    try browser.waitFor("main[data-ready='/compose']")
    try browser.type("input[name=title]", "Hello")
    try browser.type("textarea[name=body]", "News of today, %CNAME%")
    #expect(try browser.text("#audience-count") == "6")
    try browser.screenshot("compose-filled-\(language)-1280")
    try console.send()
    try browser.waitForFunnel("targeted", 6)
    try browser.waitForFunnel("read", 6)
    try browser.screenshot("message-read-\(language)-1280")

    let seqno = try console.seqno()
    try browser.show("/messages/\(seqno)?tab=people")
    try browser.wait("six devices", "return document.querySelectorAll('main tbody tr').length === 6")
    try browser.type("input[name=clientUid]", "user2")
    try browser.click("#explain")
    try browser.waitFor(".steps li[data-code]")
    let text = try browser.text(".steps")
    #expect(text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) } == (language == "ko"), "\(text)")
    #expect(try browser.count(".steps li.good") >= 2)
    try browser.screenshot("explain-\(language)-1280")
    // The file is of those that are listed.
    let file = "return document.querySelector('main a[download]').getAttribute('href')"
    for (filter, asked) in [
      ("people&status=accepted", "status=accepted"), ("failures&reason=gone", "status=failed&reason=gone"),
    ] {
      try browser.show("/messages/\(seqno)?tab=\(filter)")
      #expect(try browser.script(file) as? String == "/v1/admin/exports/deliveries?seqno=\(seqno)&\(asked)")
    }
    try console.expect(language)
    try browser.expectSilence("the campaign")
  }

  private func composeToEveryone(perSecond: Int, _ browser: Browser) throws {
    try browser.show("/compose")
    try browser.pick("all")
    try browser.type("textarea[name=body]", "Everyone!")
    try browser.pick("bulk")
    try browser.pick("second")
    try browser.type("input[name=perSecond]", String(perSecond))
  }

  @Test(arguments: ["en", "ko"])
  func `a big message is asked about twice, paused, resumed and watched to its end`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(4000)
    try console.enter(language)
    // However long it takes to click, it is not over by then.
    try composeToEveryone(perSecond: 10, browser)
    try browser.wait(
      "the count", "return document.querySelector('#audience-count')?.innerText.replace(/\\D/g, '') === '4000'")
    try browser.click("#send")
    try browser.waitFor("dialog[open] input[name=typed]")
    #expect(try browser.count("dialog[open] [type=submit]:disabled") == 1)
    try browser.press(.escape)
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    try console.send(typing: 4000)
    try browser.wait(
      "the first ones",
      "return Number(document.querySelector('#funnel [data-step=accepted] .number').innerText.replace(/\\D/g, '')) > 0")
    try browser.click("[data-action=pause]")
    try browser.waitForState("paused")
    let seqno = try console.seqno()
    // What had begun ends; then nothing more goes out.
    _ = try poll("not handed back") { try console.world.checkAccount(seqno).underWay == 0 ? true : nil }
    let paused = try #require(try console.world.funnel(seqno).int("accepted"))
    #expect(paused > 0 && paused < 4000)
    try console.world.wait(until: console.world.now + .milliseconds(1_500))
    #expect(try console.world.funnel(seqno).int("accepted") == paused)
    try browser.waitForFunnel("accepted", paused)
    try browser.screenshot("paused-\(language)-1280")
    try browser.click("[data-action=resume]")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("[data-action=pause]")
    try browser.click("[data-action=pace]")
    try browser.click("dialog[open] input[value=none]")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitForFunnel("accepted", 4000)
    try browser.waitForState("completed")
    try browser.waitFor("[data-action=resend]")
    let audit = try console.connection.run(
      Statement("test-control", "SELECT action FROM audit_log WHERE actor LIKE 'kim%' ORDER BY at"))
    let actions = (0..<audit.count).map { audit.text($0, 0) }
    for action in ["message.pause", "message.resume", "message.pace"] {
      #expect(actions.contains(action), "\(actions)")
    }
    try browser.expectSilence("the big message")
  }

  @Test func `an answer that comes late does not undo what the page has been told since`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    // However long it takes to click, it is not over by then.
    try console.world.populate(400)
    try console.enter("en")
    try composeToEveryone(perSecond: 1, browser)
    try console.send()
    // The page gets the answer to its pause only once the message has been resumed and is over.
    try browser.script(
      """
      const send = window.fetch;
      window.fetch = async (path, ...rest) => {
        const answer = await send(path, ...rest);
        if (path.endsWith('/pause')) await new Promise((go) => { window.letItArrive = go; });
        return answer;
      };
      """)
    try browser.click("[data-action=pause]")
    try browser.wait("the answer", "return window.letItArrive !== undefined")
    let message = "/v1/admin/messages/\(try console.seqno())"
    for (method, path, body) in [("POST", "\(message)/resume", "{}"), ("PATCH", message, #"{"pace":null}"#)] {
      let reply = try console.world.client.call(method, path, bearer: console.world.apiKey, body)
      #expect(reply.status == 200, "\(reply.text)")
    }
    try browser.waitForFunnel("accepted", 400)
    try browser.waitForState("completed")
    try browser.script("document.querySelector('#message-state > *').id = 'drawn-before'; window.letItArrive()")
    try browser.wait("the page drawn anew", "return document.querySelector('#drawn-before') === null")
    #expect(try browser.funnel("accepted") == 400)
    #expect(try browser.count("#message-state [data-state=completed]") == 1)
    try browser.expectSilence("the late answer")
  }

  @Test(arguments: ["en", "ko"])
  func `a file with three bad lines is told line by line, and goes to the others`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(6, users: 3)
    try console.waitForDevices(6)
    try console.enter(language)
    let path = console.file(
      "people.csv",
      "CUID,NAME,VAR1\nuser0,Kim,1000\n,nobody,1\nuser1,\"Lee, Jr.\",2000\nGUEST,guest,2\nuser2,Park,3,too,many\n")
    try browser.show("/compose")
    try browser.pick("csv")
    // Of many wrong lines the first are told, and the button says so.
    let many = console.file("many.csv", "CUID,NAME\nuser0,Kim\n" + String(repeating: ",nobody\n", count: 101))
    try browser.choose("input[type=file][name=csv]", file: many)
    try browser.waitFor("#csv-faults[data-faults='101']")
    #expect(try browser.text("#csv-faults-download").contains("100"))
    try browser.choose("input[type=file][name=csv]", file: path)
    try browser.waitFor("#csv-faults[data-faults='3']")
    #expect(try !browser.text("#csv-faults-download").contains("3"))
    let lines = try browser.script(
      "return [...document.querySelectorAll('#csv-faults [data-line]')].map((one) => one.dataset.line).join()")
    #expect(lines as? String == "3,5,6")
    try browser.type("textarea[name=body]", "%CNAME%: %VAR1%")
    #expect(try browser.text("#audience-count") == "4")
    try browser.screenshot("csv-\(language)-1280")
    try console.send()
    try browser.waitForFunnel("read", 4)
    try browser.expectSilence("the file")
  }
}
