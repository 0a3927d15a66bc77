import TestSupport
import TestTier
import Testing

/// What becomes of a press whose answer is lost, or that a hand makes twice.
@Suite(.slow, .serialized) struct LostConnectionTests {
  /// Lets the first call to an address that ends so reach the server, and loses its answer.
  private func loseAnswer(_ browser: Browser, to end: String) throws {
    try browser.script(
      """
      const real = window.fetch;
      let isLost = false;
      window.fetch = async (address, options) => {
        const answer = await real(address, options);
        if (isLost || options?.method !== 'POST' || !String(address).endsWith(arguments[0])) return answer;
        if (String(options.body).includes('dryRun')) return answer;
        isLost = true;
        throw new TypeError('lost');
      };
      """, [end])
  }

  private func sent(_ console: ConsoleWorld) throws -> Int64 {
    try console.world.count("SELECT count(*) FROM messages")
  }

  @Test func `a resend whose answer was lost goes out once, however often it is pressed`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let seqno = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(seqno)
    try console.enter("en")
    try browser.show("/messages/\(seqno)")
    try loseAnswer(browser, to: "/resend")
    try browser.click("[data-action=resend]")
    try browser.notice(".toast.bad") { try browser.click("dialog[open] [type=submit]") }
    #expect(try sent(console) == 2)
    try browser.click("[data-action=resend]")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait(
      "the resend", "return /^#\\/messages\\/\\d+$/.test(location.hash) && location.hash !== arguments[0]",
      ["#/messages/\(seqno)"])
    #expect(try sent(console) == 2, "the resend went out twice")
    // Another one, after the answer, is another one.
    try browser.show("/messages/\(seqno)")
    try browser.click("[data-action=resend]")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait(
      "the further resend", "return document.querySelector('main').dataset.ready !== arguments[0]",
      ["/messages/\(seqno)"])
    #expect(try sent(console) == 3)
    try browser.expectSilence("the resend")
  }

  @Test func `whoever cannot be signed out is told so, and stays signed in to try again`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    let sessions = "SELECT count(*) FROM sessions"
    #expect(try console.world.count(sessions) == 1)
    try browser.script(
      """
      window.real = window.fetch;
      window.fetch = (address, options) =>
        options?.method === 'DELETE' ? Promise.reject(new TypeError('lost')) : window.real(address, options);
      """)
    try browser.click(".me summary")
    try browser.notice(".toast.bad") { try browser.click("#sign-out") }
    #expect(try browser.count("input[name=login]") == 0)
    #expect(try console.world.count(sessions) == 1)
    try browser.script("window.fetch = window.real")
    try browser.click("#sign-out")
    try browser.waitFor("input[name=login]")
    #expect(try console.world.count(sessions) == 0)
    try browser.expectSilence("signing out")
  }

  @Test func `an import goes on while somebody is elsewhere, and calls nobody back`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let name = String(repeating: "n", count: 180)
    let lines = (1...6000).map { "new\($0),\(name)" }
    let path = console.file("people.csv", "clientUid,clientName\n" + lines.joined(separator: "\n") + "\n")
    try console.enter("en")
    try browser.show("/imports")
    try browser.script(
      """
      const real = window.fetch;
      window.fetch = async (address, options) => {
        if (String(address).includes('/parts/2')) await new Promise((resolve) => { window.goOn = resolve; });
        return real(address, options);
      };
      """)
    try browser.choose("main input[type=file]", file: path)
    try browser.click("main form [type=submit]")
    try browser.wait("the second part", "return window.goOn !== undefined")
    let asked = """
      const event = new Event('beforeunload', { cancelable: true });
      dispatchEvent(event);
      return event.defaultPrevented;
      """
    #expect(try browser.script(asked) as? Bool == true)
    try browser.show("/people")
    try browser.notice(".toast:not(.bad)") { try browser.script("window.goOn()") }
    #expect(try browser.script("return location.hash") as? String == "#/people")
    #expect(try browser.script(asked) as? Bool == false)
    let imports = try console.world.client.call(
      "GET", "/v1/admin/imports?appId=\(World.appID)", bearer: console.world.apiKey)
    let last = (imports["items"] as? [[String: Any]])?.first
    #expect(last?["lines"] as? Int == 6000 && last?["state"] as? String != "open", "\(imports.text)")
    try browser.expectSilence("the import")
  }

  @Test func `a test that is pressed twice at once, or again after its answer was lost, is one test`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.register("one", token: World.token("a1"), user: "kim")
    try console.enter("en")
    try browser.show("/compose")
    try browser.type("textarea[name=body]", "A test")
    try browser.type("input[name=me]", "kim")
    try loseAnswer(browser, to: "/messages")
    try browser.notice(".toast.bad") {
      try browser.script(
        "const press = document.querySelector('#test-send'); for (const turn of [1, 2]) press.click();")
    }
    #expect(try sent(console) == 1)
    try browser.notice(".toast:not(.bad)") { try browser.click("#test-send") }
    #expect(try sent(console) == 1, "the test went out twice")
    // Not by the pointer: what is shown of the first test moves the button.
    try browser.script("document.querySelector('#test-send').click()")
    _ = try poll("a further press made no further test") { try sent(console) == 2 ? true : nil }
    try browser.expectSilence("the test")
  }
}
