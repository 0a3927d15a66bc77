import Domain
import Foundation
import Operations
import Postgres
import TestSupport
import TestTier
import Testing

@testable import Server

/// Nothing that is typed is lost.
@Suite(.slow, .serialized) struct KeptTextTests {
  private func write(_ browser: Browser) throws {
    try browser.show("/compose")
    try browser.type("input[name=title]", "Autumn")
    try browser.type("textarea[name=body]", "Leaves are falling")
  }

  private func expectText(_ browser: Browser, _ what: String) throws {
    try browser.wait(
      "the text after \(what)",
      """
      return document.querySelector('main')?.dataset.ready === '/compose'
        && document.querySelector('textarea[name=body]')?.value === 'Leaves are falling';
      """)
    #expect(try browser.value("input[name=title]") == "Autumn")
  }

  @Test func `a reload, another language and another app keep what is written`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    _ = try console.world.client.call(
      "POST", "/v1/admin/apps", bearer: console.world.apiKey, #"{"appId":"com.example.card","name":"Card"}"#)
    try console.enter("en")
    try write(browser)
    try browser.script("delete document.querySelector('main').dataset.ready")
    // Without a hand on the page browsers do not ask before they load it anew.
    try browser.script("dispatchEvent(new Event('pagehide')); history.go(0)")
    try expectText(browser, "a reload")
    try browser.script("delete document.querySelector('main').dataset.ready")
    try browser.select("#app-chooser", "com.example.card")
    try expectText(browser, "another app")
    #expect(try browser.value("select[name=appId]") == "com.example.card")
    try browser.click(".me summary")
    try browser.click(".me-menu button[lang=ko]")
    try browser.wait("Korean", "return document.documentElement.lang === 'ko'")
    try expectText(browser, "another language")
    try browser.expectSilence("the text")
  }

  @Test func `the browser asks before the tab goes while something is written, and not otherwise`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    let asked = """
      const event = new Event('beforeunload', { cancelable: true });
      dispatchEvent(event);
      return event.defaultPrevented;
      """
    try browser.show("/compose")
    #expect(try browser.script(asked) as? Bool == false)
    try browser.type("textarea[name=body]", "x")
    #expect(try browser.script(asked) as? Bool == true)
    try browser.click("a[data-path='/messages']")
    try browser.click("dialog[open] [data-choice=discard]")
    try browser.waitFor("main[data-ready='/messages']")
    #expect(try browser.script(asked) as? Bool == false)
    try browser.show("/compose")
    #expect(try browser.value("textarea[name=body]") == "")
  }

  @Test(arguments: ["en", "ko"])
  func `a click on the menu asks first, and a draft goes on where it was left`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter(language)
    try write(browser)
    try browser.pick("all")
    try browser.click("a[data-path='/people']")
    try browser.waitFor("dialog[open] [data-choice=stay]")
    for finding in try browser.accessibilityFindings() { Issue.record("leaving: \(finding)") }
    try browser.click("dialog[open] [data-choice=stay]")
    try browser.wait("the address", "return location.hash === '#/compose'")
    try expectText(browser, "staying")
    try browser.back()
    try browser.click("dialog[open] [data-choice=save]")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/drafts")
    try browser.screenshot("drafts-\(language)-1280")
    try browser.click("main tbody a.title")
    try expectText(browser, "the draft")
    #expect(try browser.script("return document.querySelector('input[value=all]').checked") as? Bool == true)
    #expect(try browser.text("#audience-count") == "3")
    try console.send()
    let drafts = try console.connection.run(
      Statement("test-drafts", "SELECT count(*) FROM saved_messages", isKept: false))
    #expect(drafts.int64(0, 0) == 0, "a draft that was sent is still there")
    try browser.expectSilence("the draft")
  }

  @Test(arguments: ["en", "ko"])
  func `Escape asks before it throws away what is written in a form`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter(language)
    try browser.show("/templates")
    let none = "return document.querySelector('dialog') === null"
    // Nothing is written yet: nothing is lost.
    try browser.click(".head .actions button")
    try browser.waitFor("dialog[open] input[name=name]")
    try browser.press(.escape)
    try browser.wait("no dialog", none)
    try browser.click(".head .actions button")
    try browser.type("dialog[open] textarea[name=body]", "Leaves are falling")
    try browser.press(.escape)
    try browser.wait("the question", "return document.querySelectorAll('dialog[open]').length === 2")
    for finding in try browser.accessibilityFindings() { Issue.record("leaving the form: \(finding)") }
    // A key that is pressed once too often goes back.
    try browser.press(.enter)
    try browser.wait("the form", "return document.querySelectorAll('dialog[open]').length === 1")
    #expect(try browser.value("dialog[open] textarea[name=body]") == "Leaves are falling")
    try browser.press(.escape)
    try browser.wait("the question again", "return document.querySelectorAll('dialog[open]').length === 2")
    try browser.click("dialog[open]:last-of-type [type=submit]")
    try browser.wait("no dialog", none)
    try browser.expectSilence("the form")
  }

  @Test(arguments: ["en", "ko"])
  func `when the session ends, signing in again goes on with the same text`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let password = "correct horse battery"
    let link = try console.invite("lee@example.com", "Lee")
    try browser.open("/")
    try browser.waitFor("input[name=login]")
    try console.choose(language)
    try browser.open(link.path)
    try browser.type("input[name=new]", password)
    try browser.type("input[name=again]", password)
    try browser.click("[type=submit]")
    try browser.type("input[name=login]", "lee@example.com")
    try browser.type("input[name=password]", password)
    try browser.click("[type=submit]")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/compose")
    try browser.type("input[name=title]", "Autumn")
    try browser.type("textarea[name=body]", "Leaves are falling")
    try console.connection.script("DELETE FROM sessions")
    try browser.pick("all")
    try browser.waitFor("#sign-in-over[open]")
    #expect(try browser.value("#sign-in-over input[name=login]") == "lee@example.com")
    try browser.screenshot("sign-in-over-\(language)-1280")
    for finding in try browser.accessibilityFindings() { Issue.record("signing in again: \(finding)") }
    try expectText(browser, "the end of the session")
    // Escape would lose what is below.
    try browser.press(.escape)
    #expect(try browser.count("#sign-in-over[open]") == 1)
    try browser.type("#sign-in-over input[name=password]", password)
    try browser.click("#sign-in-over [type=submit]")
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    try expectText(browser, "signing in again")
    // What was asked when the session had ended is answered now.
    #expect(try browser.text("#audience-count") == "3")
    try console.send()
    try browser.expectSilence("the end", except: "401")
  }

  @Test func `where passwords are off, the question for a fresh sign-in says why, and can be left`() throws {
    let provider = try OpenIDProviderProcess()
    defer { withExtendedLifetime(provider) {} }
    try provider.start(
      claims: #"{"sub":"jung","email":"jung@example.com","name":"Jung Hana","groups":["push-admins"]}"#)
    let port = try LastingPort.find()
    let console = try ConsoleWorld(port: port) { configuration in
      configuration.console.takesPasswords = false
      configuration.openID = OpenIDSettings(
        issuer: provider.issuer, clientID: "upmc", clientSecret: "secret",
        redirectURL: "http://127.0.0.1:\(port)/", roles: ["push-admins": .admin], label: "Example Bank")
    }
    let browser = console.browser
    try browser.open("/")
    try browser.click("#provider")
    try browser.click("button[value=jung]")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/keys")
    try browser.click(".actions .button.main")
    try browser.type("dialog[open] input[name=name]", "CRM")
    try console.connection.script("UPDATE sessions SET created_at = created_at - interval '16 minutes'")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("#sign-in-over[open] #provider")
    let shown = try browser.text("#sign-in-over")
    #expect(shown.contains("15 minutes") && !shown.contains("Password"), "\(shown)")
    #expect(try browser.script("return document.activeElement.id") as? String == "provider")
    for finding in try browser.accessibilityFindings() { Issue.record("at the provider alone: \(finding)") }
    try browser.click("#sign-in-over [data-give-up]")
    try browser.waitFor("dialog[open] .note.bad:not([hidden])")
    #expect(try browser.value("dialog[open] input[name=name]") == "CRM")
    try browser.expectSilence("the question", except: "Failed to load resource")
  }
}
