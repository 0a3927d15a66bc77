import Foundation
import Operations
import Postgres
import Simulator

extension WholeJob {
  /// The jobs of marketers, of a call centre, and of operators.
  static let all: [WholeJob] = sending + people + operating

  /// Writes a text to everybody.
  private static func compose(_ console: ConsoleWorld, _ body: String) throws {
    try console.browser.follow("/compose")
    try console.browser.pick("all")
    try console.browser.type("textarea[name=body]", body)
    try console.browser.waitFor("#audience-count")
  }

  private static func open(_ section: String, _ console: ConsoleWorld) throws {
    try console.browser.click("details[data-section=\(section)] > summary")
  }

  /// Opens the only row that a search field finds.
  private static func open(_ field: String, finding text: String, _ browser: Browser) throws {
    try browser.type(field, text)
    try browser.wait("one row", "return document.querySelectorAll('main tbody tr').length === 1")
    try browser.click("main tbody a.title")
  }

  // MARK: Sending

  private static let sending = [
    WholeJob(name: "send to everybody", first: 6, most: 6) { console in
      try compose(console, "Everybody")
      try console.browser.type("input[name=title]", "Hello")
      try console.send()
      try console.browser.waitForState("completed")
    },
    WholeJob(name: "send with a picture", first: 7, most: 7) { console in
      try compose(console, "Look")
      try open("media", console)
      try console.browser.choose("input[name=picture]", file: console.picture())
      try console.browser.wait("the picture", "return document.querySelector('.screen img')?.naturalWidth > 0")
      try console.send()
    },
    WholeJob(name: "send in two languages, with a category and a deep link", first: nil, most: 13) { console in
      try compose(console, "Hello")
      try open("media", console)
      try console.browser.type("textarea[name=data]", #"{"deeplink":"app://home"}"#)
      try open("texts", console)
      try console.browser.type("input[name=language]", "ko")
      try console.browser.click("#add-language")
      try console.browser.type("[name='translations.ko.body']", "안녕하세요")
      try open("look", console)
      try console.browser.type("input[name=category]", "HOME")
      try console.send()
    },
    WholeJob(name: "test on a phone of one's own", first: 4, most: 5) { console in
      try compose(console, "A test")
      try console.browser.type("input[name=me]", "user0")
      try console.browser.notice(".toast:not(.bad)") { try console.browser.click("#test-send") }
    },
    WholeJob(name: "schedule, then change it", first: nil, most: 11) { console in
      let browser = console.browser
      try compose(console, "Tomorrow")
      try browser.pick("at")
      let day = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 2 * 86_400)).prefix(11)
      try browser.select("input[name=sendAt]", "\(day)09:00")
      try console.send()
      try browser.waitForState("scheduled")
      try browser.click("[data-action=edit]")
      try browser.waitFor("main[data-ready='/compose']")
      try browser.type("input[name=title]", "Changed")
      try browser.waitFor("#audience-count")
      try console.send()
      try browser.waitForState("scheduled")
    },
    WholeJob(
      name: "find a running campaign, pause, resume and cancel it", first: 6, most: 6,
      prepare: { _ = try $0.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#) },
      perform: { console in
        let browser = console.browser
        try browser.click("#running a[href^='#/messages/']")
        try browser.click("[data-action=pause]")
        try browser.waitForState("paused")
        try browser.click("[data-action=resume]")
        try browser.confirm()
        try browser.click("[data-action=cancel]")
        try browser.confirm()
        try browser.waitForState("cancelled")
      }),
    WholeJob(
      name: "copy an earlier campaign and send it", first: nil, most: 6,
      prepare: { _ = try $0.world.finished(try $0.world.send(#"{"members":true}"#, #","sender":"COPY""#)) },
      perform: { console in
        let browser = console.browser
        try browser.follow("/messages")
        try open("input[name=sender]", finding: "COPY", browser)
        try browser.click("[data-action=copy]")
        try browser.waitFor("main[data-ready='/compose'] #audience-count")
        try console.send()
      }),
    WholeJob(name: "send to a file with bad lines", first: 6, most: 7) { console in
      let browser = console.browser
      let lines = (0..<JobVolume.current.lines).map { $0 % 1_667 == 5 ? ",nobody,1\n" : "p\($0),Person \($0),\($0)\n" }
      let bad = lines.count { $0.hasPrefix(",") }
      try browser.follow("/compose")
      try browser.pick("csv")
      try browser.choose(
        "input[type=file][name=csv]", file: console.file("people.csv", "CUID,NAME,VAR1\n" + lines.joined()))
      try browser.waitFor("#csv-faults[data-faults='\(bad)']")
      try browser.type("textarea[name=body]", "%CNAME%: %VAR1%")
      try browser.waitFor("#audience-count")
      try console.send()
    },
    WholeJob(
      name: "approve what a colleague asked for", first: 5, most: 5,
      prepare: { console in
        _ = try console.world.client.call(
          "PATCH", "/v1/admin/apps/\(World.appID)", bearer: console.world.apiKey, #"{"approvalAbove":5}"#)
        try console.signOut()
        try console.enter("ko", login: "lee@example.com", name: "이서연")
        try compose(console, "Please")
        try console.browser.click("#send")
        try console.browser.click("dialog[open] [type=submit]")
        try console.browser.waitFor("main[data-ready^='/approvals/']")
        try console.signOut()
        try console.enter("ko")
      },
      perform: { console in
        let browser = console.browser
        try browser.follow("/approvals")
        try browser.click("main tbody a.title")
        try browser.click("#approve")
        try browser.type(
          "dialog[open] input[name=typed]",
          String(try console.world.count("SELECT count(*) FROM devices WHERE app = 1")))
        try browser.click("dialog[open] [type=submit]")
        try browser.waitFor("main[data-ready^='/messages/']")
        _ = try console.world.client.call(
          "PATCH", "/v1/admin/apps/\(World.appID)", bearer: console.world.apiKey, #"{"approvalAbove":null}"#)
      }),
  ]

  // MARK: People

  private static let people = [
    WholeJob(
      name: "why did this person not get this message", first: 5, most: 5,
      prepare: { _ = try $0.world.finished(try $0.world.send(#"{"members":true}"#, #","sender":"WHY""#)) },
      perform: { console in
        let browser = console.browser
        try browser.follow("/messages")
        try browser.click("main tbody a.title")
        try browser.click("nav.tabs a[href*='tab=people']")
        try browser.type("input[name=clientUid]", "kim")
        try browser.click("#explain")
        try browser.waitFor(".steps li[data-code]")
      }),
    WholeJob(
      name: "a customer calls: what was sent, and what came of it", first: nil, most: 4,
      prepare: { _ = try $0.world.finished(try $0.world.send(#"{"clientUids":["kim"]}"#)) },
      perform: { console in
        let browser = console.browser
        try browser.follow("/people")
        try open("#search", finding: "Name of kim", browser)
        try browser.click("#history tbody a.title")
        try browser.waitFor(".steps li[data-code]")
      }),
    WholeJob(name: "import people from a file", first: 3, most: 3) { console in
      let browser = console.browser
      let lines = (0..<JobVolume.current.lines).map { "clientUid\($0),Person \($0)\n" }.joined()
      try browser.follow("/imports")
      try browser.choose("input[type=file]", file: console.file("new.csv", "clientUid,clientName\n" + lines))
      try browser.click("main [type=submit]")
      try browser.waitFor("main[data-ready^='/imports/'] [data-state=finished]")
    },
    WholeJob(name: "make a group and fill it", first: 7, most: 7) { console in
      let browser = console.browser
      try browser.follow("/groups")
      try browser.click(".head .button.main")
      try browser.type("dialog[open] input[name=name]", "소식")
      try browser.confirm()
      try browser.click("#add-members")
      try browser.type("dialog[open] textarea", "user1 user2 kim")
      try browser.confirm()
      try browser.wait("three members", "return document.querySelectorAll('main tbody tr').length === 3")
    },
    WholeJob(
      name: "keep a segment by tag", first: 7, most: 7,
      prepare: {
        _ = try $0.world.client.call(
          "POST", "/v1/admin/tags", bearer: $0.world.apiKey,
          #"{"appId":"\#(World.appID)","clientUids":["user1"],"add":["vip"]}"#)
      },
      perform: { console in
        let browser = console.browser
        try browser.follow("/segments")
        try browser.click("#new-segment")
        try browser.type("dialog[open] input[name=name]", "우수 고객")
        try browser.select("dialog[open] .rule select", "tags")
        try browser.type("dialog[open] .rule input", "vip")
        try browser.wait(
          "the count", "return /^[1-9]/.test(document.querySelector('#segment-count')?.innerText ?? '')")
        try browser.confirm()
        try browser.wait("the segment", "return document.querySelector('main tbody')?.innerText.includes('vip')")
      }),
    WholeJob(
      name: "erase a person", first: 6, most: 6,
      prepare: { try $0.world.register("gone", token: World.token("f1"), user: "gone") },
      perform: { console in
        let browser = console.browser
        try browser.follow("/people")
        try open("#search", finding: "gone", browser)
        try browser.click(".head .button.bad")
        try browser.type("dialog[open] input[name=typed]", "gone")
        try browser.click("dialog[open] [type=submit]")
        try browser.waitFor("main[data-ready='/people']")
      }),
  ]

  // MARK: Operating

  private static let operating = [
    WholeJob(name: "add an app with its APNs key", first: 12, most: 10) { console in
      let browser = console.browser
      try browser.follow("/apps")
      try browser.click("#new-app")
      try browser.type("dialog[open] input[name=appId]", "com.example.second")
      try browser.type("dialog[open] input[name=name]", "Second")
      try browser.confirm()
      try console.addKey()
    },
    WholeJob(
      name: "give quarantined devices back, by reason", first: nil, most: 3,
      prepare: {
        try $0.connection.script(
          "UPDATE devices SET quarantined_at = now(), quarantine_seqno = 1, quarantine_reason = 'DeviceTokenNotForTopic'"
        )
      },
      perform: { console in
        let browser = console.browser
        try browser.follow("/aside")
        try browser.click("[data-restore=DeviceTokenNotForTopic]")
        try browser.confirm()
        try browser.wait(
          "they are back", "return document.querySelector('[data-reason=DeviceTokenNotForTopic]') === null")
      }),
    WholeJob(name: "make an API key", first: 4, most: 4) { console in
      let browser = console.browser
      try browser.follow("/keys")
      try browser.click(".head .button.main")
      try browser.type("dialog[open] input[name=name]", "core banking")
      try browser.click("dialog[open] [type=submit]")
      try browser.waitFor("dialog[open] [data-secret]")
    },
    WholeJob(name: "make a webhook and test it", first: 6, most: 6) { console in
      let browser = console.browser
      try browser.follow("/webhooks")
      try browser.click("#new-webhook")
      try browser.type("dialog[open] input[name=url]", "https://hooks.example.com/upmc")
      try browser.click("dialog[open] [type=submit]")
      try browser.waitFor("dialog[open] [data-secret]")
      try browser.press(.escape)
      try browser.waitFor("main[data-ready^='/webhooks/']")
      try browser.click("#test-webhook")
      try browser.wait("the event", "return document.querySelectorAll('main tbody tr').length === 1")
    },
    WholeJob(name: "see who changed the app", first: 2, most: 3) { console in
      let browser = console.browser
      try browser.follow("/audit")
      try browser.select("select[name=action]", "app")
      try browser.wait(
        "changes of apps alone",
        "return [...document.querySelectorAll('main tbody .under')].some((one) => one.innerText.startsWith('app.'))")
      try browser.click("main tbody details summary")
    },
    WholeJob(name: "compare a month, and rank its campaigns", first: nil, most: 4) { console in
      let browser = console.browser
      try browser.follow("/statistics")
      try browser.select("select[name=range]", "month")
      try browser.select("select[name=compare]", "month")
      try browser.waitFor("main .tiles .nowrap")
      try browser.click("nav.tabs a[href^='#/statistics/campaigns']")
      try browser.waitFor("main[data-ready^='/statistics/campaigns'] tbody tr")
    },
    WholeJob(name: "go to a message by its number", first: nil, most: 3) { console in
      let browser = console.browser
      let seqno = try console.world.send(#"{"clientUids":["kim"]}"#)
      try browser.pressControl("k")
      try browser.type("#palette", seqno)
      try browser.wait("the message", "return document.querySelectorAll('dialog[open] [role=option]').length === 1")
      try browser.press(.enter)
      try browser.waitFor("main[data-ready='/messages/\(seqno)']")
    },
  ]
}
