import Foundation
import TestTier
import Testing

/// Behind a balancer, the server that answers may be of another release than the page.
@Suite(.slow, .serialized) struct ReleaseChangeTests {
  @Test func `a page whose module is gone says so, and loads the console anew when asked`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.block(["*/pages/webhooks.js"])
    // The former document is not to be taken for the new one.
    try browser.script("delete document.querySelector('main').dataset.ready")
    try browser.reload()
    try browser.waitFor("main[data-ready='/']")
    try browser.script("location.hash = '/webhooks'")
    try browser.wait(
      "the sentence", "return document.querySelector('main').innerText.includes('The console has been updated')")
    // When the document was begun; another one has another time.
    let begun = "return String(performance.timeOrigin)"
    let first = try #require(browser.script(begun) as? String)
    try browser.block([])
    try browser.click("main [role=alert] button")
    try browser.waitFor("main[data-ready='/webhooks'] .head")
    #expect(try browser.script(begun) as? String != first)
    try browser.expectSilence("the change", except: "webhooks.js")
  }

  @Test func `whoever has unsaved text is asked before it`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.block(["*/parts/palette.js"])
    // The former document is not to be taken for the new one.
    try browser.script("delete document.querySelector('main').dataset.ready")
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
