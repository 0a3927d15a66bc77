import Foundation
import Postgres
import TestTier
import Testing

/// The composer asks the server about nothing that it knows to be unfinished, and says what is missing.
@Suite(.slow, .serialized) struct WholeFormTests {
  /// What is chosen, as a script; the field that is missing; and what makes it whole.
  private static let halves: [(choose: String, missing: String, mend: String)] = [
    ("type('[name=body]', 'Hi %VAR1%')", "[name='variables.VAR1']", "type('[name=\"variables.VAR1\"]', 'x')"),
    (
      "type('[name=language]', 'ko'); document.querySelector('#add-language').click()",
      "[name='translations.ko.body']", "type('[name=\"translations.ko.body\"]', '안녕')"
    ),
    (
      "pick('[name=canary]', 'percent'); type('[name=canarySize]', '')", "[name=canarySize]",
      "type('[name=canarySize]', '5')"
    ),
    (
      "document.querySelector('[value=at]').click()", "[name=sendAt]",
      "type('[name=sendAt]', day(1))"
    ),
    (
      "pick('[name=every]', 'day'); type('[name=until]', day(9).slice(0, 10))", "[name=every]",
      "document.querySelector('[value=at]').click(); type('[name=sendAt]', day(1))"
    ),
    ("type('[name=windowfrom]', '09:00')", "[name=windowto]", "type('[name=windowto]', '18:00')"),
    // What cannot be read is not left out without a word.
    ("type('[name=data]', '{x')", "[name=data]", "type('[name=data]', '{\"x\": 1}')"),
    ("type('[name=json]', '{x')", "[name=json]", "type('[name=json]', '{\"alert\": {\"body\": \"Hi\"}}')"),
    (
      "pick('[name=badge]', 'set'); type('[name=badgeCount]', '')", "[name=badgeCount]",
      "type('[name=badgeCount]', '3')"
    ),
    ("pick('[name=sound]', 'named')", "[name=soundName]", "type('[name=soundName]', 'bell.aif')"),
    (
      "document.querySelector('[value=second]').click(); type('[name=perSecond]', '')", "[name=perSecond]",
      "type('[name=perSecond]', '10')"
    ),
  ]

  private static let helpers = """
    const day = (count) => new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 16);
    const type = (place, text) => {
      const one = document.querySelector(place);
      one.value = text;
      one.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const pick = (place, value) => {
      const one = document.querySelector(place);
      one.value = value;
      one.dispatchEvent(new Event('change', { bubbles: true }));
    };
    """

  @Test(arguments: ["en", "ko"])
  func `a half-filled form asks nothing, says what is missing, and counts once it is whole`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter(language)
    for (number, half) in Self.halves.enumerated() {
      try browser.show("/compose?app=\(World.appID)&n=\(number)")
      try browser.pick("all")
      try browser.type("textarea[name=body]", "B")
      #expect(try browser.text("#audience-count") == "3")
      try browser.script("for (const one of document.querySelectorAll('details.section')) one.open = true")
      try browser.script(Self.helpers + half.choose)
      try browser.waitFor("#missing")
      // What was asked before may be answered, and listed, later.
      try browser.script("performance.clearResourceTimings(); window.since = performance.now();")
      try browser.click("#send")
      try browser.waitFor("\(half.missing)[aria-invalid=true]")
      let focused = try browser.script("return document.activeElement.matches(arguments[0])", [half.missing])
      #expect(focused as? Bool == true, "\(half.missing)")
      if number == 0 {
        for finding in try browser.accessibilityFindings() { Issue.record("what is missing: \(finding)") }
      }
      #expect(try browser.count("dialog[open]") == 0)
      let asked = try browser.script(
        """
        return performance.getEntriesByType('resource')
          .filter((one) => one.startTime > window.since && one.name.endsWith('/v1/admin/messages')).length;
        """)
      #expect(asked as? Int == 0, "\(half.choose) asked the server")
      try browser.script(Self.helpers + half.mend)
      try browser.wait("whole", "return document.querySelector('#missing') === null")
      #expect(try browser.text("#audience-count") == "3")
      #expect(try browser.count("\(half.missing)[aria-invalid=true]") == 0)
      try browser.script("location.hash = '#/'")
      try browser.click("dialog[open] [data-choice=discard]")
      try browser.waitFor("main[data-ready='/']")
    }
    try browser.expectSilence("the halves")
  }

  @Test func `what a template lacks is said at its field`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.show("/templates")
    try browser.click(".head .actions button")
    try browser.type("dialog[open] input[name=name]", "Payday")
    try browser.type("dialog[open] textarea[name=body]", "B")
    try browser.script(Self.helpers + "pick('[name=badge]', 'set'); type('[name=badgeCount]', '')")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("[name=badgeCount][aria-invalid=true]")
    #expect(try browser.count("dialog[open] .note.bad:not([hidden])") == 0)
    try browser.script(Self.helpers + "type('[name=badgeCount]', '3')")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    #expect(try console.world.count("SELECT count(*) FROM saved_messages") == 1)
    try browser.expectSilence("the template")
  }

  @Test func `an SMS's conditions are asked for beside the SMS alone`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter("en")
    try browser.show("/compose")
    try browser.script("for (const one of document.querySelectorAll('details.section')) one.open = true")
    #expect(try browser.script("return document.querySelector('[data-member=fallback]').hidden") as? Bool == true)
    try browser.click("input[name=sms]")
    try browser.select("select[name='fallback.after']", "PT10M")
    let json = "return JSON.parse(document.querySelector('textarea[name=json]').value)"
    let chosen = try browser.script(json) as? [String: Any]
    #expect(chosen?["sms"] as? Bool == true && (chosen?["fallback"] as? [String: Any])?["after"] as? String == "PT10M")
    try browser.click("input[name=sms]")
    let without = try browser.script(json) as? [String: Any]
    #expect(without?["sms"] == nil && without?["fallback"] == nil)
    try browser.expectSilence("the SMS")
  }

  @Test func `a time in the past is said at its field, in the words of the server too`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter("ko")
    try browser.show("/compose")
    try browser.pick("all")
    try browser.type("textarea[name=body]", "B")
    try browser.pick("at")
    try browser.script(Self.helpers + "type('input[name=sendAt]', '2020-01-01T09:00')")
    try browser.waitFor("#missing")
    try browser.click("#send")
    try browser.waitFor("input[name=sendAt][aria-invalid=true]")
    let body = #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"B","sendAt":"2020-01-01T00:00:00Z""#
    let send = try console.world.client.call("POST", "/v1/admin/messages", bearer: console.world.apiKey, body + "}")
    let dry = try console.world.client.call(
      "POST", "/v1/admin/messages", bearer: console.world.apiKey, body + #","dryRun":true}"#)
    #expect(send.status == 422 && dry.status == 422)
    #expect(dry.string("detail") == send.string("detail"))
    try browser.expectSilence("the past")
  }
}
