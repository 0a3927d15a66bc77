import Domain
import Operations
import Postgres
import TestTier
import Testing

/// One key finds pages, messages and people.
@Suite(.slow, .serialized) struct PaletteTests {
  private static let options = "[...document.querySelectorAll('dialog[open] [role=option]')]"

  private func world(_ language: String) throws -> ConsoleWorld {
    let console = try ConsoleWorld()
    try console.connection.script(
      """
      INSERT INTO users (app, user_key, name) VALUES (1, 'ukb100', '김하늘'), (1, 'ukb200', '이서연')
      """)
    try console.enter(language)
    return console
  }

  /// Waits until the lines are just these.
  private func expect(_ texts: [String], _ browser: Browser) throws {
    try browser.wait(
      "the lines \(texts)",
      "return \(Self.options).map((one) => one.querySelector('span').textContent).join('|') === arguments[0]",
      [texts.joined(separator: "|")])
  }

  @Test func `a page is found by keyboard alone, and the focus comes back`() throws {
    let console = try world("en")
    let browser = console.browser
    try browser.click("#find")
    try browser.waitFor("dialog[open] #palette")
    // All pages that this account may see, before anything is typed.
    #expect(try browser.count("dialog[open] [role=option]") > 15)
    #expect(try browser.accessibilityFindings() == [])
    try browser.press(.escape)
    try browser.wait("the palette to close", "return document.querySelector('dialog') === null")
    #expect(try browser.script("return document.activeElement.id") as? String == "find")
    try browser.pressControl("k")
    try browser.waitFor("dialog[open] #palette")
    try browser.pressControl("k")
    #expect(try browser.count("dialog") == 1)
    for letter in "web" { try browser.press(letter) }
    try expect(["Webhooks"], browser)
    let active = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"
    #expect(try browser.script("return \(active).textContent") as? String == "Webhooks")
    try browser.press(.enter)
    try browser.waitFor("main[data-ready='/webhooks']")
    // Up from the first is the last; down again the first.
    try browser.pressControl("k")
    try browser.waitFor("dialog[open] #palette")
    try browser.press(.up)
    let last = "\(Self.options).at(-1)"
    #expect(try browser.script("return \(last) === \(active)") as? Bool == true)
    try browser.press(.down)
    #expect(try browser.script("return \(Self.options)[0] === \(active)") as? Bool == true)
    try browser.expectSilence("the palette")
  }

  @Test func `a message is found by number and by title, a person by CUID and by name`() throws {
    let console = try world("en")
    let browser = console.browser
    let sent = try console.world.send(#"{"all":true}"#)
    try browser.pressControl("k")
    try browser.waitFor("dialog[open] #palette")
    // Enter comes before the answer, and is kept for it.
    for letter in "#\(sent)" { try browser.press(letter) }
    try browser.press(.enter)
    try browser.waitFor("main[data-ready='/messages/\(sent)']")
    for (typed, path) in [("kb2", "kb200"), ("김하", "kb100")] {
      try browser.pressControl("k")
      try browser.waitFor("dialog[open] #palette")
      try browser.type("#palette", typed)
      try browser.waitFor("dialog[open] [role=option][data-path$='\(path)'][aria-selected=true]")
      try browser.press(.enter)
      try browser.waitFor("main[data-ready$='\(path)']")
    }
    try browser.expectSilence("the search", except: "404")
  }

  @Test func `a campaign is found by its title behind many single sends`() throws {
    let console = try world("en")
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO messages (app, state, lane, purpose, request, request_sha256, targeted, created_at, expires_at,
        frozen_at, planned, finished_at)
      SELECT 1, 4, 1, CASE n WHEN 1 THEN 0 ELSE 1 END,
        CASE n WHEN 1 THEN '{"alert":{"title":"Autumn sale","body":"B"}}'::json ELSE '{"alert":"OTP"}'::json END,
        '', 1, now(), now() + interval '1 day', now(), true, now()
      FROM generate_series(1, 10010) n ORDER BY n
      """)
    try browser.pressControl("k")
    try browser.waitFor("dialog[open] #palette")
    try browser.type("#palette", "Autumn")
    try browser.waitFor("dialog[open] [role=option][data-path^='/messages/']")
    try browser.expectSilence("the title")
  }

  @Test func `a search that fails is not said to have found nothing`() throws {
    let console = try world("en")
    let browser = console.browser
    try browser.script(
      """
      const real = window.fetch;
      window.fetch = (address, options) =>
        String(address).includes('/users?') ? Promise.reject(new TypeError('lost')) : real(address, options);
      """)
    try browser.pressControl("k")
    try browser.waitFor("dialog[open] #palette")
    try browser.type("#palette", "kb2")
    try browser.waitFor("dialog[open] [role=status]:not(:empty)")
    #expect(try browser.text("dialog[open] [role=status]") != "No results")
    try browser.expectSilence("the failure")
  }

  @Test func `Korean is found while it is composed, by first consonants, and English names too`() throws {
    let console = try world("ko")
    let browser = console.browser
    try browser.pressControl("k")
    try browser.waitFor("dialog[open] #palette")
    for part in ["ㅅ", "세", "섹"] { try browser.compose(part) }
    // What is half a syllable finds what it becomes.
    try expect(["세그먼트"], browser)
    #expect(try browser.script("return location.hash") as? String == "#/")
    try browser.compose("세그먼", isDone: true)
    try expect(["세그먼트"], browser)
    try browser.type("#palette", "ㅅㄱㅁㅌ")
    try expect(["세그먼트"], browser)
    try browser.type("#palette", "segme")
    try expect(["세그먼트"], browser)
    try browser.type("#palette", "없는것")
    try browser.waitFor("dialog[open] [role=status]:not(:empty)")
    #expect(try browser.count("dialog[open] [role=option]") == 0)
    try browser.press(.enter)
    #expect(try browser.script("return location.hash") as? String == "#/")
    try browser.expectSilence("the palette")
  }

  @Test func `people of every app are found, not of the first ones alone`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    for number in 1...5 {
      _ = try Administration.createApp(
        "com.example.z\(number)", name: "Z\(number)", timeZone: "Asia/Seoul", identity: .open, by: .commandLine,
        on: console.connection)
    }
    try console.connection.script(
      "INSERT INTO users (app, user_key, name) SELECT app, 'ulast', 'Park' FROM apps WHERE app_id = 'com.example.z5'")
    try console.enter("en")
    try browser.pressControl("k")
    try browser.waitFor("dialog[open] #palette")
    try browser.type("#palette", "last")
    try browser.waitFor("dialog[open] [role=option][data-path='/people/com.example.z5/last']")
    try browser.press(.enter)
    try browser.waitFor("main[data-ready$='/last']")
    try browser.expectSilence("the palette")
  }
}
