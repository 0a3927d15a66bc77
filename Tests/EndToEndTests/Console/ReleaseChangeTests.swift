import Foundation
import TestTier
import Testing

/// Behind a balancer, the server that answers may be of another release than the page.
@Suite(.slow, .serialized) struct ReleaseChangeTests {
  @Test func `a page whose module is gone is loaded anew once, then says so`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.block(["*/pages/webhooks.js"])
    try browser.reload()
    try browser.waitFor("main[data-ready='/']")
    try browser.script("window.isSame = true")
    try browser.script("location.hash = '/webhooks'")
    // It loaded itself anew, once: the page that is shown knows nothing of before.
    try browser.wait(
      "the sentence",
      "return window.isSame !== true && document.querySelector('main h1')?.innerText === 'The console has been updated'"
    )
    try browser.script("window.isSame = true")
    try browser.block([])
    try browser.click("main [role=alert] button")
    try browser.waitFor("main[data-ready='/webhooks'] .head")
    #expect(try browser.script("return window.isSame !== true") as? Bool == true)
    try browser.expectSilence("the change", except: "webhooks.js")
  }

  @Test func `whoever has unsaved text is asked before it`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.block(["*/parts/palette.js"])
    try browser.reload()
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/compose")
    try browser.type("textarea[name=body]", "Leaves are falling")
    try browser.script("window.isSame = true")
    try browser.pressControl("k")
    try browser.text("dialog[open] h2")
    try browser.press(.escape)
    try browser.wait("no dialog", "return document.querySelector('dialog[open]') === null")
    #expect(try browser.script("return window.isSame") as? Bool == true)
    #expect(try browser.value("textarea[name=body]") == "Leaves are falling")
    try browser.expectSilence("the change", except: "palette.js")
  }
}
