import Operations
import Postgres
import TestTier
import Testing

/// How people come in and are chosen, in a browser: from files, by condition.
@Suite(.slow, .serialized) struct AudienceStoryTests {
  @Test(arguments: ["en", "ko"])
  func `a file of people is brought in with its progress, and one that must be whole is refused`(
    language: String
  ) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter(language)
    let good = (1...20_000).map { "person\($0),Name of person \($0)\n" }.joined()
    let path = console.file("people.csv", "clientUid,clientName\n\(good),nobody\nGUEST,guest\nlee,Lee,more\n")
    try browser.show("/imports")
    try browser.choose("input[type=file]", file: path)
    // It may be there for less than the time between two looks from here.
    try browser.script(
      """
      window.sawProgress = false;
      new MutationObserver(() => { window.sawProgress ||= document.querySelector('.progress .meter i') !== null; })
        .observe(document.body, { childList: true, subtree: true });
      """)
    try browser.click("main [type=submit]")
    try browser.waitFor("main[data-ready^='/imports/']")
    try browser.waitFor("[data-state=finished]")
    #expect(try browser.script("return window.sawProgress") as? Bool == true)
    let facts = try browser.text(".facts").filter { $0.isNumber || $0.isNewline }
    for count in ["20003", "20000", "3"] {
      #expect(facts.split(separator: "\n").contains(Substring(count)), "\(facts)")
    }
    #expect(try browser.count("main tbody tr") == 3)
    try says(language, in: try browser.text("main tbody"))
    try browser.script(
      """
      const make = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (blob) => {
        blob.text().then((text) => { window.file = text; });
        return make(blob);
      };
      """)
    try browser.click("#import-errors-download")
    let file = try #require(try browser.wait("the file", "return window.file") as? String)
    let lines = file.split(separator: "\r\n").dropFirst()
    #expect(lines.map { $0.split(separator: ",")[0] } == ["\"20002\"", "\"20003\"", "\"20004\""], "\(file)")
    #expect(lines.last?.hasSuffix(#","lee,Lee,more""#) == true, "\(file)")
    try browser.show("/people?prefix=person1999")
    try browser.wait("the people", "return document.querySelectorAll('main tbody tr').length >= 10")

    let strict = console.file("strict.csv", "clientUid\nnew1\n,\n")
    try browser.show("/imports")
    try browser.choose("input[type=file]", file: strict)
    try browser.click("input[name=skipErrors]")
    try browser.click("main [type=submit]")
    try browser.waitFor("main[data-ready^='/imports/'] .note.bad")
    try browser.waitFor("[data-state=refused]")
    let users = try console.connection.run(
      Statement("test-strict", "SELECT count(*) FROM users WHERE user_key = 'unew1'"))
    #expect(users.int64(0, 0) == 0)
    try browser.screenshot("import-refused-\(language)-1280")
    try browser.expectSilence("the imports")
  }

  @Test(arguments: ["en", "ko"])
  func `an import under way is cancelled after a question, and the page says what stays`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let (client, key) = (console.world.client, console.world.apiKey)
    let begun = try client.call(
      "POST", "/v1/admin/imports", bearer: key, #"{"appId":"\#(World.appID)","kind":"users"}"#)
    let path = "imports/\(try #require(begun.string("importId")))"
    let part = try client.call(
      "PUT", "/v1/admin/\(path)/parts/1?last=false", bearer: key, "clientUid\nkim\nlee\n,\n", type: "text/csv")
    #expect(part.status == 200, "\(part.text)")
    try console.enter(language)
    try browser.show("/\(path)")
    try browser.click("#cancel-import")
    try browser.waitFor("dialog[open]")
    for finding in try browser.accessibilityFindings() { Issue.record("the question: \(finding)") }
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main [data-state=cancelled]")
    let said = try browser.text("main .notes")
    #expect(said.contains("3") && said.contains("2"), "\(said)")
    try browser.wait("no button", "return document.querySelector('#cancel-import').hidden")
    #expect(try browser.script("return document.activeElement.tagName") as? String == "H1")
    #expect(try console.world.count("SELECT count(*) FROM users WHERE user_key IN ('ukim', 'ulee')") == 2)
    try browser.expectSilence("the cancelled import")
  }

  /// In Korean, also what the server says.
  private func says(_ language: String, in text: String) throws {
    let lines = text.split(separator: "\n").filter { $0.count > 8 }
    #expect(!lines.isEmpty)
    let hasHangul = text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
    #expect(hasHangul == (language == "ko"), "\(text)")
  }

  @Test(arguments: ["en", "ko"])
  func `a segment is put together from conditions, counted while it is written, and sent to`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(12, users: 6)
    try console.waitForDevices(12)
    _ = try console.world.client.call(
      "POST", "/v1/admin/tags", bearer: console.world.apiKey,
      #"{"appId":"\#(World.appID)","clientUids":["user1","user2"],"add":["vip"]}"#)
    try console.enter(language)
    try browser.show("/segments")
    try browser.click("#new-segment")
    try browser.type("dialog[open] input[name=name]", "VIPs 우수 고객")
    try browser.wait("all of them", Self.count, ["12"])
    try browser.click("#add-condition")
    try browser.select("dialog[open] .rule:nth-child(2) select", "tags")
    #expect(try browser.count("#segment-count") == 0)
    // What is not finished is not saved.
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("dialog[open] .segment .error:not([hidden])")
    try browser.type("dialog[open] .rule:nth-child(2) input", "gold, vip")
    try browser.wait("the devices of two", Self.count, ["4"])
    try browser.screenshot("segment-\(language)-1280")
    for finding in try browser.accessibilityFindings() { Issue.record("the segment's form: \(finding)") }
    try browser.click("dialog[open] .segmented button:nth-child(2)")
    let json = try browser.script("return document.querySelector('dialog textarea').value") as? String ?? ""
    #expect(json.filter { !$0.isWhitespace } == #"{"seen":{"within":"P30D"},"tags":{"any":["gold","vip"]}}"#)
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the segment", "return document.querySelector('main tbody')?.innerText.includes('gold, vip')")
    try browser.click("main tbody a.button")
    try browser.waitFor("main[data-ready='/compose']")
    try browser.type("textarea[name=body]", "To the best")
    try browser.wait(
      "the reach", "return document.querySelector('#audience-count')?.innerText === '4'")
    try console.send()
    try browser.waitForFunnel("read", 4)
    try browser.expectSilence("the segment")
  }

  @Test(arguments: ["en", "ko"])
  func `a group below others is found by its name, and shown with the groups above it`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let (client, key) = (console.world.client, console.world.apiKey)
    try console.startDevices(6, users: 6)
    try console.waitForDevices(6)
    var group = "null"
    for name in ["News", "Seoul", "Gangnam"] {
      let made = try client.call(
        "POST", "/v1/admin/groups", bearer: key,
        #"{"appId":"\#(World.appID)","name":"\#(name)","parent":\#(group)}"#)
      group = try #require(made.string("groupSeq"), "\(made.text)")
    }
    _ = try client.call(
      "POST", "/v1/admin/groups/\(group)/members", bearer: key, #"{"clientUids":["user1","user2"]}"#)
    for name in ["Gangnam", "Gangnam again"] {
      _ = try client.call(
        "POST", "/v1/admin/segments", bearer: key,
        #"{"appId":"\#(World.appID)","name":"\#(name)","conditions":{"groups":["\#(group)"]}}"#)
    }
    try console.enter(language)
    try browser.script(
      """
      const [real, group] = [window.fetch, arguments[0]];
      window.asked = 0;
      window.fetch = (address, options) => {
        if (String(address).endsWith(group)) window.asked += 1;
        return real(address, options);
      };
      """, ["/groups/\(group)"])
    let whole = "News › Seoul › Gangnam"
    try browser.show("/segments")
    try browser.wait(
      "its name, twice",
      "return document.querySelector('main tbody')?.innerText.split(arguments[0]).length === 3", [whole])
    #expect(try browser.script("return window.asked") as? Int == 1)
    try browser.show("/compose")
    try browser.pick("groups")
    #expect(try browser.count(".group-boxes input") == 1)
    try browser.type("input[name=group-search]", "gang")
    try browser.waitFor(".group-boxes input[value='\(group)']")
    #expect(try browser.text(".group-boxes").contains(whole))
    #expect(try browser.count(".group-boxes input") == 1)
    for finding in try browser.accessibilityFindings() { Issue.record("the groups: \(finding)") }
    try browser.click(".group-boxes input[value='\(group)']")
    try browser.type("textarea[name=body]", "To a few")
    #expect(try browser.text("#audience-count") == "2")
    try browser.click("#send")
    #expect(try browser.text("dialog[open] .facts").contains(whole))
    try browser.press(.escape)
    try browser.expectSilence("the group")
  }

  @Test func `a file that is imported right after a search goes into the group that was found`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let (client, key) = (console.world.client, console.world.apiKey)
    try console.startDevices(1, users: 1)
    try console.waitForDevices(1)
    var group = "null"
    for name in ["News", "Seoul"] {
      let made = try client.call(
        "POST", "/v1/admin/groups", bearer: key,
        #"{"appId":"\#(World.appID)","name":"\#(name)","parent":\#(group)}"#)
      group = try #require(made.string("groupSeq"), "\(made.text)")
    }
    try console.enter("en")
    try browser.show("/imports")
    try browser.select("select[name=kind]", "members")
    let list = "select[name=groupSeq]"
    let first = try browser.value(list)
    #expect(first != group)
    let gap = """
      const [list, search] = ['select[name=groupSeq]', 'input[name=group-search]']
        .map((one) => document.querySelector(one).getBoundingClientRect());
      return search.top - list.bottom >= 3;
      """
    #expect(try browser.script(gap) as? Bool == true, "the field and its search touch")
    let isChosen = "return document.querySelector(arguments[0]).value === arguments[1]"
    try browser.type("input[name=group-search]", "seo")
    try browser.wait("what is found", isChosen, [list, group])
    // Clearing the search restores the former choice.
    try browser.script(
      """
      const search = document.querySelector('input[name=group-search]');
      search.value = '';
      search.dispatchEvent(new Event('input', { bubbles: true }));
      """)
    try browser.wait("the former one", isChosen, [list, first])
    try browser.type("input[name=group-search]", "seo")
    try browser.wait("what is found again", isChosen, [list, group])
    try browser.choose("input[type=file]", file: console.file("members.csv", "clientUid\nuser0\n"))
    try browser.click("main [type=submit]")
    try browser.waitFor("[data-state=finished]")
    #expect(try console.world.count("SELECT count(*) FROM group_members WHERE groupseq = \(group)") == 1)
    try browser.expectSilence("the members")
  }

  @Test func `of ten thousand groups the last one is found, and those in sight are said not to be all`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO groups (app, name) SELECT 1, 'Branch ' || n FROM generate_series(1, 10000) n;
      INSERT INTO groups (app, name) VALUES (1, 'Zebra')
      """)
    try console.enter("en")
    try browser.show("/compose")
    try browser.pick("groups")
    #expect(try browser.count(".group-boxes input") == 1000)
    let hint = ".group-boxes + .hint"
    #expect(try browser.text(hint).contains("Not all"))
    // What stands below them is not a thousand lines away.
    let isNear = "return document.querySelector('.group-boxes').offsetHeight < innerHeight"
    #expect(try browser.script(isNear) as? Bool == true)
    try browser.type("input[name=group-search]", "zebra")
    try browser.wait("the last one", "return document.querySelector('.group-boxes').textContent === 'Zebra'")
    #expect(try browser.script("return document.querySelector('\(hint)').textContent") as? String == "")
    try browser.type("input[name=group-search]", "nobody")
    try browser.wait(
      "that there is none", "return document.querySelector(arguments[0]).textContent.startsWith('No group')", [hint])
    try browser.expectSilence("the groups")
  }

  @Test func `a user or a tag with a comma is not taken for two when what was said is opened again`() throws {
    let console = try ConsoleWorld()
    try console.enter("en")
    let opened = try console.browser.script(
      """
      const main = document.querySelector('script[type=module]').src;
      const { audienceState } = await import(main.replace('main.js', 'parts/audience.js'));
      const { rowsOf } = await import(main.replace('main.js', 'parts/segment-rows.js'));
      return arguments[0].flatMap((values) => [
        audienceState({ clientUids: values }).kind,
        rowsOf({ not: { clientUids: values } }) ? 'rows' : 'json', rowsOf({ tags: { any: values } }) ? 'rows' : 'json',
      ]);
      """, [[["kim"], ["kim", "lee"], ["kim, lee"], ["kim;lee"], [" kim"]]])
    #expect(
      opened as? [String] == [
        "users", "rows", "rows", "users", "rows", "rows", "raw", "json", "json", "raw", "json", "json", "raw", "json",
        "json",
      ])
    try console.browser.expectSilence("what was opened again")
  }

  private static let count = "return document.querySelector('#segment-count')?.innerText === arguments[0]"
}
