import Domain
import Operations
import Postgres
import Simulator
import TestTier
import Testing

/// From nothing to the first push that was read, in a browser.
@Suite(.slow, .serialized) struct FirstPushTests {
  static let appID = "com.example.first"

  @Test(arguments: ["en", "ko"])
  func `an empty system leads from a one-time link to a push that was read, and lets nobody in after signing out`(
    language: String
  ) throws {
    let console = try ConsoleWorld(isEmpty: true)
    let browser = console.browser
    try browser.open("/")
    try browser.waitFor("input[name=login]")
    try console.choose(language)
    try openFirstAccount(console)
    try console.expect(language)
    try browser.screenshot("begin-\(language)-1280")
    #expect(try browser.count(".begin li.done") == 0)
    try addApp(console)
    try addCredential(console)

    // The third step goes on by itself, once a device has registered.
    try browser.show("/")
    try browser.waitFor(".begin li:nth-child(3).now")
    let key = try console.connection.run(Statement("test-client-key", "SELECT app_id FROM apps"))
    #expect(key.text(0, 0) == Self.appID)
    let app = try #require(try Administration.apps(for: .commandLine, on: console.connection).first)
    try console.startDevices(8, users: 4, appID: Self.appID, clientKey: app.clientKey)
    try browser.waitFor(".begin li:nth-child(4).now")
    try console.waitForDevices(8)
    try browser.screenshot("begin-last-\(language)-1280")
    try browser.click(".begin li.now .button")

    try browser.waitFor("main[data-ready='/compose']")
    try browser.type("textarea[name=clientUids]", "user0\nuser1, user2\nnobody")
    try browser.type("input[name=title]", "첫 메시지 · First")
    try browser.type("textarea[name=body]", "%CNAME%, hello 👋")
    try browser.select("select[name=badge]", "increment")
    #expect(try browser.text("#audience-count") == "6")
    #expect(try browser.count(".bytes[data-bytes]") == 1)
    try console.send()
    try browser.waitForFunnel("read", 6)
    try browser.waitForState("completed")
    try browser.expectSilence("the first push")

    // Not a word of it after signing out, whatever is pressed.
    try console.signOut()
    try browser.back()
    try browser.reload()
    try browser.waitFor("input[name=login]")
    #expect(try browser.count("#funnel") == 0)
    #expect(try browser.script("return document.body.innerText.includes('First')") as? Bool == false)
    try browser.type("input[name=login]", "admin")
    try browser.type("input[name=password]", "not the password")
    try browser.click("[type=submit]")
    try browser.waitFor("[role=alert]:not([hidden])")
    try browser.expectSilence("a wrong password", except: "401")
  }

  private func openFirstAccount(_ console: ConsoleWorld) throws {
    let browser = console.browser
    let link = try #require(try ConsoleAccounts.firstLink(on: console.connection, now: console.world.now))
    try browser.open(link.path)
    try browser.type("input[name=new]", "correct horse battery")
    try browser.type("input[name=again]", "correct horse")
    try browser.click("[type=submit]")
    try browser.waitFor("input[name=again][aria-invalid=true]")
    #expect(try browser.script("return location.hash") as? String == "#/")
    try browser.type("input[name=again]", "correct horse battery")
    try browser.click("[type=submit]")
    try browser.type("input[name=login]", "Admin")
    try browser.type("input[name=password]", "correct horse battery")
    try browser.click("[type=submit]")
    try browser.waitFor("main[data-ready='/'] .begin")
  }

  private func addApp(_ console: ConsoleWorld) throws {
    let browser = console.browser
    try browser.click(".begin li.now .button")
    try browser.click("#new-app")
    try browser.type("dialog[open] input[name=appId]", Self.appID)
    try browser.type("dialog[open] input[name=name]", "First <b>app</b>")
    // The virtual devices have no server that vouches for their users.
    try browser.select("dialog[open] select[name=identity]", "open")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready='/apps/\(Self.appID)']")
  }

  private func addCredential(_ console: ConsoleWorld) throws {
    let browser = console.browser
    try console.addKey()
    // What was brought in is not shown again.
    #expect(try browser.script("return document.documentElement.outerHTML.includes('PRIVATE KEY')") as? Bool == false)
    try browser.expectSilence("the credential")
  }
}
