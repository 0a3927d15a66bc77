import Foundation
import Simulator
import TestTier
import TestSupport
import Testing

/// The console's page of broadcast channels.
@Suite(.slow, .serialized) struct ChannelPageTests {
  @Test func `a channel is made, published on, and removed`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.show("/channels")
    try browser.click("#new-channel")
    try browser.type("dialog[open] input[name=name]", "match-7")
    try browser.select("dialog[open] select[name=storage]", "latest")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main tbody .button.bad")
    let apple = try #require(
      try browser.script("return document.querySelector('main tbody code').textContent") as? String)
    console.world.simulator.follow(apple, count: 3)

    // What is no JSON is refused at its field, and nothing leaves.
    try browser.click("main tbody .button:not(.bad)")
    try browser.type("dialog[open] textarea[name=state]", "{home: 1}")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("dialog[open] textarea[name=state][aria-invalid=true]")
    #expect(console.world.simulator.channel(apple)?.updates == 0)

    try browser.type("dialog[open] textarea[name=state]", #"{"home":1,"away":0}"#)
    try browser.type("dialog[open] input[name=alert]", "1 : 0")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    let report = try poll("the update was not published") {
      console.world.simulator.channel(apple).flatMap { $0.updates >= 1 ? $0 : nil }
    }
    #expect(report.latest?.contains(#""content-state":{"home":1,"away":0}"#) == true, "\(report)")
    #expect(report.latest?.contains("1 : 0") == true)

    try browser.click("main tbody .button.bad")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the channel is gone", "return document.querySelector('main tbody .button.bad') === null")
    #expect(console.world.simulator.channel(apple) == nil)
    try browser.expectSilence("the page of channels")
  }
}
