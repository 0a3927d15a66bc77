import Postgres
import TestTier
import Testing

/// Pages change under nobody's hands.
@Suite(.slow, .serialized) struct FocusTests {
  @Test(arguments: ["/people", "/devices"])
  func `a search is typed letter by letter while the list follows`(page: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(12, users: 6)
    try console.waitForDevices(12)
    try console.enter("en")
    try browser.show(page)
    try browser.click("#search")
    var typed = ""
    for letter in "user3" {
      try browser.press(letter)
      typed.append(letter)
      // As slow as somebody who looks for the keys: the list is searched after each.
      try browser.wait(
        "the search for \(typed)",
        "return new URLSearchParams(location.hash.split('?')[1]).get('q') === arguments[0]", [typed])
    }
    #expect(try browser.value("#search") == "user3")
    #expect(try browser.script("return document.activeElement.id") as? String == "search")
    try browser.wait(
      "user3 alone",
      "return [...document.querySelectorAll('main tbody tr')].every((one) => one.innerHTML.includes('user3'))")
    try browser.expectSilence("the search")
  }

  @Test func `devices are found by eight digits, be they of a token or of a CUID`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let token = World.token("a1")
    try console.world.register("one", token: token, user: "20261128")
    try console.world.register("two", token: World.token("b2"), user: "lee")
    try console.enter("en")
    for text in ["20261128", String(token.prefix(8))] {
      try browser.show("/devices?q=\(text)")
      #expect(try browser.count("main tbody tr") == 1)
      #expect(try browser.text("main tbody").contains("20261128"), "\(text)")
    }
    try browser.expectSilence("the digits")
  }

  @Test func `a Korean syllable is composed in the search field, and finds people by name`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO users (app, user_key, name) VALUES (1, 'ukb100', '김하늘'), (1, 'ukb200', '이서연'), (1, 'ukb300', '김민준')
      """)
    try console.enter("ko")
    try browser.show("/people")
    #expect(try browser.count("main tbody tr") == 3)
    try browser.click("#search")
    for part in ["ㄱ", "기", "김"] { try browser.compose(part) }
    #expect(try browser.value("#search") == "김")
    // Some input methods end the last syllable only when the field is left: it is searched for while it is composed.
    try browser.wait("two", "return document.querySelectorAll('main tbody tr').length === 2")
    #expect(try browser.value("#search") == "김")
    try browser.compose("김", isDone: true)
    #expect(try browser.count("main tbody tr") == 2)
    #expect(try browser.value("#search") == "김")
    #expect(try browser.script("return document.activeElement.id") as? String == "search")
    try browser.expectSilence("the name")
  }

  @Test func `a list is as long as before when one of its rows was removed`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO groups (app, name) VALUES (1, 'News');
      INSERT INTO users (app, user_key) SELECT 1, 'u' || lpad(n::text, 4, '0') FROM generate_series(1, 120) n;
      INSERT INTO group_members (app, user_key, groupseq, joined_at) SELECT app, user_key, 1, now() FROM users
      """)
    try console.enter("en")
    try browser.show("/groups/1")
    try browser.click(".more button")
    try browser.wait("100 rows", "return document.querySelectorAll('main tbody tr').length === 100")
    try browser.click("main tbody tr:nth-child(60) button")
    try browser.wait(
      "the other rows",
      """
      const rows = [...document.querySelectorAll('main tbody tr')];
      return rows.length === 100 && rows.every((one) => !one.innerText.includes('0060'));
      """)
    #expect(try browser.script("return document.activeElement.className") as? String == "table-box")
    try browser.expectSilence("the members")
  }

  @Test func `after Back a list is as long and as far down as it was`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        frozen_at, planned, finished_at)
      SELECT 1, 4, 2, '{"alert":"Hello"}', '', 1, now(), now() + interval '1 day', now(), true, now()
      FROM generate_series(1, 130) n
      """)
    try console.enter("en")
    try browser.show("/messages")
    try browser.click(".more button")
    try browser.wait("100 rows", "return document.querySelectorAll('main tbody tr').length === 100")
    try browser.script("document.querySelectorAll('main tbody tr')[90].scrollIntoView({ block: 'center' })")
    let depth = try #require(try browser.script("return Math.round(scrollY)") as? Int)
    #expect(depth > 1000)
    try browser.click("main tbody tr:nth-child(91) a")
    try browser.waitFor("main[data-ready^='/messages/']")
    try browser.back()
    try browser.waitFor("main[data-ready='/messages']")
    #expect(try browser.count("main tbody tr") == 100)
    try browser.wait("the place", "return Math.abs(scrollY - arguments[0]) < 100", [depth])
    try browser.expectSilence("the list")
  }

  @Test func `further rows follow the last one that is shown, also after others came in above`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    func add(_ count: Int) throws {
      try console.connection.script(
        """
        INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at,
          frozen_at, planned, finished_at)
        SELECT 1, 4, 2, '{"alert":"Hello"}', '', 1, now(), now() + interval '1 day', now(), true, now()
        FROM generate_series(1, \(count)) n
        """)
    }
    try add(30)
    try console.enter("en")
    try browser.show("/messages")
    #expect(try browser.count("main tbody tr") == 30)
    #expect(try browser.count(".more") == 0)
    try add(30)
    // A list that was whole has a further page now.
    try browser.waitFor(".more button")
    #expect(try browser.count("main tbody tr") == 50)
    let newest = try browser.script("return document.querySelector('main tbody a').hash") as? String ?? ""
    try add(5)
    try browser.wait(
      "the newest ones", "return document.querySelector('main tbody a').hash !== arguments[0]", [newest])
    try browser.click(".more button")
    try browser.wait("all of them", "return document.querySelectorAll('main tbody tr').length > 50")
    let shown = try browser.script(
      "return new Set([...document.querySelectorAll('main tbody a')].map((one) => one.hash)).size")
    #expect(shown as? Int == 65, "rows fell between two pages, or are there twice")
    try browser.expectSilence("the further rows")
  }

  @Test func `a row that changes is brought up to date in place`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(10)
    let seqno = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    let other = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    try console.enter("en")
    try browser.show("/messages")
    try browser.script("document.querySelector(\"main tbody a[href$='/\(other)']\").focus()")
    try browser.script("document.querySelector('main table').dataset.mark = 'same'")
    _ = try console.world.control("pause", seqno)
    try browser.waitFor("main tbody [data-state=paused]")
    #expect(try browser.count("main table[data-mark=same]") == 1, "the table was drawn anew")
    let place = try browser.script("return document.activeElement.getAttribute('href')") as? String
    #expect(place == "#/messages/\(other)")
    try browser.expectSilence("the row")
  }

  @Test func `a hidden tab holds no connection, and takes it up again`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(2, users: 1)
    try console.waitForDevices(2)
    _ = try console.world.finished(try console.world.send(#"{"all":true}"#))
    try console.enter("en")
    try console.keepStreams()
    try browser.script(
      """
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => window.isAway === true });
      """)
    try browser.show("/messages")
    try browser.show("/")
    try browser.wait("a stream", "return window.streams.at(-1)?.readyState === 1")
    try browser.script("window.isAway = true; document.dispatchEvent(new Event('visibilitychange'))")
    #expect(try browser.script("return window.streams.every((one) => one.readyState === 2)") as? Bool == true)
    try browser.script("window.isAway = false; document.dispatchEvent(new Event('visibilitychange'))")
    try browser.wait("the stream again", "return window.streams.at(-1).readyState === 1")
    try browser.waitFor("#live:not(.off)")
    try browser.expectSilence("the hidden tab")
  }
}
