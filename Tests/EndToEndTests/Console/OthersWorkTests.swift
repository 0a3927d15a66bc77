import TestSupport
import TestTier
import Testing

/// A page that has been open for a while writes what was changed on it, and leaves what others have changed meanwhile.
@Suite(.slow, .serialized) struct OthersWorkTests {
  private func call(
    _ console: ConsoleWorld, _ method: String, _ path: String, _ body: String? = nil
  ) throws -> Reply {
    let reply = try console.world.client.call(method, "/v1/admin/\(path)", bearer: console.world.apiKey, body)
    #expect(reply.status < 300, "\(method) \(path): \(reply.text)")
    return reply
  }

  @Test func `a test group that somebody else has made stays when another one is deleted`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let path = "apps/\(World.appID)/test-groups"
    _ = try call(console, "PUT", path, #"{"groups":[{"name":"QA","clientUids":["kim"]}]}"#)
    try console.enter("en")
    try browser.show("/test-groups")
    _ = try call(
      console, "PUT", path,
      #"{"groups":[{"name":"QA","clientUids":["kim"]},{"name":"Late","clientUids":["lee"]}]}"#)
    try browser.click("main tbody button.bad")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the other one", "return document.querySelector('main tbody')?.innerText.includes('Late')")
    #expect(try browser.count("main tbody tr") == 1)
    let groups = try call(console, "GET", path)["groups"] as? [[String: Any]] ?? []
    #expect(groups.map { $0["name"] as? String } == ["Late"])
    try browser.expectSilence("the test groups")
  }

  @Test func `a tag that a program has given stays when others are changed`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.register("one", token: World.token("a1"), user: "kim")
    func give(_ tags: String) throws {
      _ = try call(console, "POST", "tags", #"{"appId":"\#(World.appID)","clientUids":["kim"],"add":[\#(tags)]}"#)
    }
    try give(#""vip","trial""#)
    try console.enter("en")
    try browser.show("/people/\(World.appID)/kim")
    try give(#""gold""#)
    try browser.click("button[aria-label='Change tags']")
    try browser.type("dialog[open] textarea[name=tags]", "vip, new")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the tags", "return document.querySelector('main').innerText.includes('gold')")
    let tags = try call(console, "GET", "tags?appId=\(World.appID)&clientUid=kim")["tags"] as? [String] ?? []
    #expect(tags.sorted() == ["gold", "new", "vip"])
    try browser.expectSilence("the tags")
  }

  @Test func `a setting of an app that somebody else has changed stays when another one is saved`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.show("/apps/\(World.appID)")
    _ = try call(console, "PATCH", "apps/\(World.appID)", #"{"approvalAbove":5}"#)
    try browser.type("main input[name=name]", "First Bank")
    try browser.notice(".toast:not(.bad)") {
      try browser.click("main form:has(input[name=timeZone]) [type=submit]")
    }
    let app = try call(console, "GET", "apps/\(World.appID)")
    #expect(app.string("name") == "First Bank" && app.int("approvalAbove") == 5, "\(app.text)")
    // A limit that is taken away on the page itself goes.
    try browser.show("/")
    try browser.show("/apps/\(World.appID)")
    #expect(try browser.value("main input[name=approvalAbove]") == "5")
    try browser.script(
      "const one = document.querySelector('main input[name=approvalAbove]'); one.value = '';")
    try browser.click("main form:has(input[name=timeZone]) [type=submit]")
    _ = try poll("the limit is still there") {
      try call(console, "GET", "apps/\(World.appID)")["approvalAbove"] is Int ? nil : true
    }
    try browser.expectSilence("the settings")
  }
}
