import Postgres
import TestTier
import Testing

/// A page that stays open says what is so now, and keeps its place under whoever reads it.
@Suite(.slow, .serialized) struct StandingPageTests {
  /// Lets what the page does every so many milliseconds come at once.
  private func hurry(_ browser: Browser, _ milliseconds: Int) throws {
    try browser.script(
      """
      const [real, pace] = [window.setTimeout.bind(window), arguments[0]];
      window.setTimeout = (action, wait, ...values) => real(action, wait === pace ? 50 : wait, ...values);
      """, [milliseconds])
  }

  @Test func `the table below the dashboard's chart follows what happens, in place`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(6, users: 3)
    try console.waitForDevices(6)
    let first = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(first)
    try console.enter("en")
    try browser.show("/")
    try browser.waitFor("#live:not(.off)")
    try browser.click("figure details summary")
    let accepted = """
      const rows = [...document.querySelectorAll('figure tbody tr')];
      return rows.reduce((sum, row) => sum + Number(row.cells[1].innerText), 0) === arguments[0];
      """
    try browser.wait("the first message", accepted, [6])
    try browser.script("document.querySelector('figure table').mine = true")
    let second = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(second)
    try browser.wait("both messages", accepted, [12])
    #expect(try browser.script("return document.querySelector('figure table').mine") as? Bool == true)
    try expectAnotherTry(console)
    try browser.expectSilence("the table")
  }

  /// A stream that cannot be had is asked for again and again, and the page listens as soon as it can. While one tells
  /// nothing, the page asks.
  private func expectAnotherTry(_ console: ConsoleWorld) throws {
    let browser = console.browser
    try hurry(browser, 30_000)
    try browser.script(
      """
      window.trueSource = window.EventSource;
      window.failures = 0;
      window.EventSource = class extends EventTarget {
        static CLOSED = 2;
        readyState = 2;
        constructor() {
          super();
          setTimeout(() => {
            window.failures += 1;
            this.onerror();
          });
        }
        close() {}
      };
      """)
    try browser.show("/messages")
    try browser.show("/")
    try browser.wait("further tries", "return window.failures > 5")
    #expect(try browser.count("#live.off") == 1)
    try browser.script(
      """
      window.EventSource = class extends EventTarget {
        static CLOSED = 2;
        readyState = 0;
        constructor() {
          super();
          window.hanging = this;
        }
        close() {}
      };
      """)
    try browser.wait("a stream that neither opens nor fails", "return window.hanging !== undefined")
    let third = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(third)
    try browser.wait(
      "the third message", "return document.querySelector('[data-tile=accepted] dd')?.innerText === '18'")
    #expect(try browser.count("#live.off") == 1)
    try browser.script(
      """
      window.EventSource = window.trueSource;
      window.hanging.readyState = 2;
      window.hanging.onerror();
      """)
    try browser.waitFor("#live:not(.off)")
  }

  @Test func `the dashboard says that an app was paused after somebody signed in`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(1)
    _ = try console.world.finished(try console.world.send(#"{"all":true}"#))
    try console.enter("en")
    try hurry(browser, 60_000)
    // Each look at the clock is half a minute later: what was asked for is old at once.
    try browser.script(
      """
      const real = Date.now.bind(Date);
      let ahead = 0;
      Date.now = () => real() + (ahead += 30000);
      """)
    try browser.show("/messages")
    try browser.show("/")
    #expect(try browser.count("#attention .note.bad") == 0)
    try console.connection.script("UPDATE apps SET paused_reason = 'a test'")
    let text = try browser.text("#attention .note.bad")
    #expect(text.contains("a test"), "\(text)")
    try browser.show("/compose")
    try browser.waitFor("#standing .note.bad")
    try browser.expectSilence("the paused app")
  }

  @Test func `the server's page keeps the focus while its numbers change`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try hurry(browser, 5000)
    try browser.script(
      """
      const real = window.fetch;
      window.looks = 0;
      window.fetch = async (address, options) => {
        const answer = await real(address, options);
        if (!String(address).endsWith('/v1/admin/server')) return answer;
        const state = await answer.json();
        window.looks += 1;
        state.database.connections = window.looks;
        state.database.maxConnections = 1000000;
        return new Response(JSON.stringify(state), { status: 200, headers: { 'Content-Type': 'application/json' } });
      };
      """)
    try browser.show("/server")
    try browser.script(
      """
      const one = document.querySelector('main .table-box');
      one.mine = true;
      one.focus();
      window.looksThen = window.looks;
      """)
    try browser.wait("three further looks", "return window.looks > window.looksThen + 3")
    #expect(try browser.script("return document.activeElement.mine") as? Bool == true)
    // It is not the old page that stands still: what changes is shown.
    try browser.wait(
      "a later number",
      """
      const shown = /(\\d+) of 1,000,000/.exec(document.querySelector('main').innerText);
      return shown !== null && Number(shown[1]) > window.looksThen + 3;
      """)
    try browser.expectSilence("the server's page")
  }

  @Test func `an import that is not whole is said once, however often its page looks`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let begun = try console.world.client.call(
      "POST", "/v1/admin/imports", bearer: console.world.apiKey, #"{"appId":"\#(World.appID)","kind":"users"}"#)
    let page = "/imports/\(try #require(begun.string("importId")))"
    try console.enter("en")
    try hurry(browser, 1500)
    try browser.script(
      """
      const [real, page] = [window.fetch, arguments[0]];
      window.looks = 0;
      window.fetch = (address, options) => {
        if (String(address).endsWith(page)) window.looks += 1;
        return real(address, options);
      };
      """, [page])
    try browser.show(page)
    try browser.script(
      """
      document.querySelector('main .notes .note').mine = true;
      window.looksThen = window.looks;
      """)
    try browser.wait("three further looks", "return window.looks > window.looksThen + 3")
    #expect(try browser.script("return document.querySelector('main .notes .note').mine") as? Bool == true)
    try browser.expectSilence("the import")
  }

  @Test func `a message's page says once that it listens, whatever it hears`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let seqno = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    try console.enter("en")
    try browser.show("/messages/\(seqno)")
    try browser.waitFor("main .live:not(.off)")
    try browser.script("document.querySelector('main .live').firstChild.mine = true")
    _ = try console.world.control("pause", seqno)
    try browser.waitForState("paused")
    #expect(try browser.script("return document.querySelector('main .live').firstChild.mine") as? Bool == true)
    try browser.expectSilence("the message")
  }
}
