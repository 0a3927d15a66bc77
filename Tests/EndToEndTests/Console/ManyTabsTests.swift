import Postgres
import TestTier
import Testing

/// Several tabs and windows of one browser, which has six connections to a server over HTTP/1.1.
@Suite(.slow, .serialized) struct ManyTabsTests {
  @Test(arguments: Browser.Place.allCases)
  func `eight tabs or windows at once all load, and all show what happens`(place: Browser.Place) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(4, users: 2)
    try console.waitForDevices(4)
    _ = try console.world.finished(try console.world.send(#"{"all":true}"#))
    // It waits, so its page follows it.
    let waiting = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    try console.enter("en")
    var places: [String] = []
    for number in 0..<8 {
      let page = number.isMultiple(of: 2) ? "/" : "/messages/\(waiting)"
      places.append(try browser.openFurther(place, page: page))
      try browser.waitFor("main[data-ready='\(page)']")
    }
    // Each is still alive: it asks the server, and is answered.
    for handle in places {
      try browser.turn(to: handle)
      try browser.script(
        "window.answer = null; fetch('/v1/admin/session').then((one) => { window.answer = one.status })")
      try browser.wait("an answer", "return window.answer === 200")
    }
    // What happens is seen in all, listening or asking.
    _ = try console.world.control("pause", waiting)
    for (number, handle) in places.enumerated() where !number.isMultiple(of: 2) {
      try browser.turn(to: handle)
      try browser.waitForState("paused")
    }
    if place == .window {
      // A window that asks for several places has two for a moment when they become free together.
      try browser.wait(
        "three streams",
        """
        return navigator.locks.query()
          .then((all) => all.held.filter((one) => one.name.startsWith('upmc.stream.')).length === 3);
        """)
    }
    try browser.expectSilence("the last \(place)")
  }

  @Test func `an app that is chosen in one tab is not chosen in another one`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    _ = try console.world.client.call(
      "POST", "/v1/admin/apps", bearer: console.world.apiKey, #"{"appId":"com.example.card","name":"Card"}"#)
    try console.enter("en")
    try browser.select("#app-chooser", World.appID)
    let first = try browser.openFurther(.tab, page: "/messages")
    try browser.waitFor("main[data-ready='/messages']")
    try browser.select("#app-chooser", World.appID)
    _ = try browser.openFurther(.tab, page: "/messages")
    try browser.waitFor("main[data-ready='/messages']")
    try browser.select("#app-chooser", "com.example.card")
    try browser.turn(to: first)
    try browser.reload()
    try browser.waitFor("main[data-ready='/messages']")
    #expect(try browser.value("#app-chooser") == World.appID)
    try browser.expectSilence("the first tab")
  }

  @Test func `a tab goes on after somebody has signed in again in another one`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    let first = try browser.openFurther(.tab, page: "/groups")
    try browser.waitFor("main[data-ready='/groups']")
    try console.connection.script("DELETE FROM sessions")
    _ = try browser.openFurther(.tab, page: "/")
    try console.enter("en")
    try browser.turn(to: first)
    try browser.click("main .head button.main")
    try browser.type("dialog[open] input[name=name]", "News")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/groups/']")
    #expect(try browser.count("dialog[open]") == 0)
    try browser.expectSilence("the first tab", except: "status of 40")
  }

  @Test func `where a browser has no locks, the window with the focus listens and another one asks`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(4, users: 2)
    try console.waitForDevices(4)
    _ = try console.world.finished(try console.world.send(#"{"all":true}"#))
    try console.enter("en")
    try console.keepStreams()
    try browser.script(
      """
      Object.defineProperty(navigator, 'locks', { configurable: true, get: () => undefined });
      Object.defineProperty(document, 'hasFocus', { configurable: true, value: () => true });
      """)
    try browser.show("/messages")
    try browser.show("/")
    try browser.wait("a stream", "return window.streams.at(-1)?.readyState === 1")
    try browser.script("dispatchEvent(new Event('blur'))")
    #expect(try browser.script("return window.streams.every((one) => one.readyState === 2)") as? Bool == true)
    _ = try console.world.finished(try console.world.send(#"{"all":true}"#))
    try browser.wait(
      "the numbers of both", "return document.querySelector('[data-tile=accepted] dd')?.innerText === '8'")
    #expect(try browser.script("return window.streams.every((one) => one.readyState === 2)") as? Bool == true)
    try browser.script("dispatchEvent(new Event('focus'))")
    try browser.wait("the stream again", "return window.streams.at(-1).readyState === 1")
    try browser.waitFor("#live:not(.off)")
    try browser.expectSilence("the window with the focus")
  }
}
