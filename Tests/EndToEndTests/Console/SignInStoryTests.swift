import Foundation
import Operations
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing
import Time

@testable import Server

/// Signing in as people do: with a second factor, and at the organisation's identity provider; what goes wrong, and what
/// the audit page says of it.
@Suite(.slow, .serialized) struct SignInStoryTests {
  private static let login = "kim@example.com"
  private static let password = "correct horse battery"

  /// Gives an account a password through its link, and leaves the page before all others.
  private func account(_ console: ConsoleWorld) throws {
    let browser = console.browser
    let link = try console.invite(Self.login, "Kim Jiwon")
    try browser.open(link.path)
    try browser.type("input[name=new]", Self.password)
    try browser.type("input[name=again]", Self.password)
    try browser.click("button[type=submit]")
    try browser.waitFor("input[name=login]")
  }

  private func signIn(_ browser: Browser) throws {
    try browser.type("input[name=login]", Self.login)
    try browser.type("input[name=password]", Self.password)
    try browser.click("button[type=submit]")
  }

  /// As if another half minute had passed.
  private func forgetSteps(_ console: ConsoleWorld) throws {
    try console.connection.script("UPDATE accounts SET factor_step = 0")
  }

  private func code(_ secret: String, _ console: ConsoleWorld) throws -> String {
    try TestAuthenticator.code(secret, seconds: console.world.now.seconds)
  }

  /// What the QR code on the page says to a telephone that looks at it.
  private func scanned(_ browser: Browser) throws -> String {
    let rows = try browser.script(
      """
      const path = document.querySelector('svg.qr path').getAttribute('d');
      const size = Number(document.querySelector('svg.qr').getAttribute('viewBox').split(' ')[2]);
      const grid = Array.from({ length: size }, () => new Array(size).fill('0'));
      for (const [, x, y] of path.matchAll(/M(\\d+) (\\d+)h1v1h-1z/g)) grid[y][x] = '1';
      return grid.map((row) => row.join(''));
      """)
    return try QRScanner.read(try #require(rows as? [String]))
  }

  private func expectSound(_ browser: Browser, _ name: String) throws {
    try browser.screenshot(name)
    for finding in try browser.accessibilityFindings() { Issue.record("\(name): \(finding)") }
    // What is refused here is refused on purpose.
    try browser.expectSilence(name, except: "Failed to load resource")
  }

  @Test(arguments: ["en", "ko"])
  func `a required second factor is scanned, used, recovered, and reset by another administrator`(
    _ language: String
  ) throws {
    let console = try ConsoleWorld { configuration in configuration.console.secondFactor = [.admin] }
    let browser = console.browser
    try browser.open("/")
    try browser.waitFor("input[name=login]")
    try console.choose(language)
    try account(console)
    try signIn(browser)
    // Nothing else opens before it is set up.
    try browser.waitFor("svg.qr")
    let uri = try scanned(browser)
    let secret = try #require(uri.firstMatch(of: /secret=([A-Z2-7]{32})/).map { String($0.1) })
    #expect(uri.hasPrefix("otpauth://totp/UPMC:kim%40example.com?") && uri.contains("&issuer=UPMC"))
    try expectSound(browser, "factor-enrol-\(language)")
    try browser.type("input[name=password]", Self.password)
    try browser.type("input[name=code]", "000000")
    try browser.click("form button[type=submit]")
    try browser.wait("the error", "return document.querySelector('.field .error:not([hidden])')?.innerText")
    try browser.type("input[name=code]", try code(secret, console))
    try browser.click("form button[type=submit]")
    try browser.waitFor("[data-code]")
    let codes = try #require(
      try browser.script("return [...document.querySelectorAll('[data-code]')].map((one) => one.innerText)")
        as? [String])
    #expect(codes.count == 10)
    try expectSound(browser, "factor-codes-\(language)")
    try browser.click("#factor-done")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/security")
    try browser.waitFor("[data-factor=on]")
    try expectSound(browser, "security-\(language)")
    try console.signOut()
    // The code, then a recovery code in its place.
    try forgetSteps(console)
    // A code is made when it is typed: what comes before may take longer than it lasts.
    let proofs: [() throws -> String] = [{ try code(secret, console) }, { codes[0] }]
    for proof in proofs {
      try signIn(browser)
      try browser.waitFor("input[name=code]")
      try browser.type("input[name=code]", "wrong-code")
      try browser.click("form button[type=submit]")
      try browser.wait("the error", "return document.querySelector('.field .error:not([hidden])')?.innerText")
      try browser.type("input[name=code]", try proof())
      try browser.click("form button[type=submit]")
      try browser.waitFor("main[data-ready]")
      try console.signOut()
    }
    try resetAndAudit(console, language)
  }

  /// Another administrator resets it; the audit page shows the whole story.
  private func resetAndAudit(_ console: ConsoleWorld, _ language: String) throws {
    let browser = console.browser
    let lee = try console.invite("lee@example.com", "Lee")
    try console.connection.script("UPDATE accounts SET password = 'unknown', salt = 'unknown' WHERE login LIKE 'lee%'")
    try browser.open(lee.path)
    try browser.waitFor("svg.qr")
    let secret = try #require(try scanned(browser).firstMatch(of: /secret=([A-Z2-7]{32})/).map { String($0.1) })
    try browser.type("input[name=code]", try code(secret, console))
    try browser.click("form button[type=submit]")
    try browser.click("#factor-done")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/accounts")
    try browser.waitFor("[data-reset='\(Self.login)']")
    try expectSound(browser, "accounts-factor-\(language)")
    try browser.click("[data-reset='\(Self.login)']")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("no factor", "return document.querySelector('[data-reset]') === null")
    let actions = try console.connection.run(
      Statement(
        "test-actions",
        """
        SELECT string_agg(action || coalesce(' ' || (after->>'reason'), '') || coalesce(' ' || (after->>'secondFactor'), ''),
          ', ' ORDER BY entry)
        FROM audit_log WHERE object = '\(Self.login)'
        """))
    #expect(
      actions.text(0, 0) == """
        account.create, session.sign-in, account.password, session.sign-in, account.second-factor, session.sign-out, \
        session.refuse code, session.sign-in app, session.sign-out, session.refuse code, session.sign-in recovery-code, \
        session.sign-out, account.second-factor-reset
        """)
    try browser.show("/audit")
    try browser.wait("the audit", "return document.querySelector('main table')?.innerText.includes('kim@example.com')")
    try expectSound(browser, "audit-factor-\(language)")
    try browser.show("/audit?action=account&object=\(Self.login)")
    let asked = try browser.script(
      """
      const asked = new URL(document.querySelector('main a[download]').href).searchParams;
      return ['action', 'actor', 'object'].map((name) => asked.get(name) ?? '').join();
      """)
    #expect(asked as? String == "account,,\(Self.login)")
  }

  @Test func `a link is enough to choose a password in place of one that was lost`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    // By a link, to an account with a password that nobody knows.
    try console.enter("en", login: Self.login)
    try browser.show("/password")
    try browser.waitFor("main input[name=new]")
    #expect(try browser.count("main input[name=current]") == 0)
    try browser.type("main input[name=new]", Self.password)
    try browser.type("main input[name=again]", Self.password)
    try browser.click("main [type=submit]")
    try browser.waitFor("input[name=login]")
    try signIn(browser)
    try browser.waitFor("main[data-ready]")
    try browser.show("/password")
    try browser.waitFor("main input[name=current]")
    try browser.expectSilence("another password", except: "Failed to load resource")
  }

  @Test func `people sign in at the identity provider, with its key rotated, its tokens over and its role lost`() throws
  {
    let provider = try OpenIDProviderProcess()
    let staff = #"{"sub":"jung","email":"jung@example.com","name":"Jung Hana","groups":["push-staff"]}"#
    try provider.start(claims: staff)
    let port = try LastingPort.find()
    let console = try ConsoleWorld(port: port) { configuration in
      configuration.openID = OpenIDSettings(
        issuer: provider.issuer, clientID: "upmc", clientSecret: "secret",
        redirectURL: "http://127.0.0.1:\(port)/", roles: ["push-staff": .operator, "push-admins": .admin],
        label: "Example Bank")
      // It changes its keys faster here than any real one.
      configuration.openID?.keyPauseSeconds = 0
    }
    let browser = console.browser
    try browser.open("/")
    try expectSound(browser, "sign-in-provider")
    try browser.click("#provider")
    try browser.click("button[value=jung]")
    try browser.waitFor("main[data-ready='/']")
    #expect(try browser.script("return location.search") as? String == "", "the code leaves the address")
    #expect(try browser.text(".me .name") == "Jung Hana")
    try browser.show("/security")
    try browser.waitFor("#factor p")
    try console.signOut()
    // The provider makes a new key; the same person is the same account.
    try provider.start(claims: staff)
    try browser.click("#provider")
    try browser.click("button[value=jung]")
    try browser.waitFor("main[data-ready]")
    try console.signOut()
    try refuse(console, "id-token-expired") { try provider.start(claims: staff, tokenSeconds: -3600) }
    try refuse(console, "role-claim") {
      try provider.start(claims: #"{"sub":"jung","email":"jung@example.com","name":"Jung Hana"}"#)
    }
    // Somebody changes their mind there.
    try browser.open("/")
    try browser.click("#provider")
    try browser.click("button[value=deny]")
    try browser.waitFor(".note.warn")
    let rows = try console.connection.run(
      Statement("test-accounts", "SELECT login || ' ' || role FROM accounts WHERE subject IS NOT NULL"))
    #expect(rows.count == 1 && rows.text(0, 0) == "jung@example.com operator")
    let signIns = try console.connection.run(
      Statement(
        "test-sign-ins",
        "SELECT count(*) FROM audit_log WHERE action = 'session.sign-in' AND after->>'method' = 'openid'"))
    #expect(signIns.int64(0, 0) == 2)
  }

  private func refuse(_ console: ConsoleWorld, _ reason: String, after change: () throws -> Void) throws {
    let browser = console.browser
    try change()
    try browser.open("/")
    try browser.click("#provider")
    try browser.click("button[value=jung]")
    try browser.waitFor(".note.warn")
    let audited = try console.connection.run(
      Statement(
        "test-refused-\(reason)",
        "SELECT after->>'reason' FROM audit_log WHERE action = 'session.refuse' ORDER BY entry DESC LIMIT 1"))
    #expect(audited.count == 1 && audited.text(0, 0) == reason, "\(audited.text(0, 0))")
  }

  @Test func `a key is made with its end, and the page says when it ends and was last used`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.show("/keys")
    try browser.click(".actions .button.main")
    try browser.type("dialog[open] input[name=name]", "CRM")
    try browser.script("document.querySelector('dialog[open] input[name=expiresAt]').value = '2099-12-31'")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("[data-secret]")
    // Over plain HTTP pages have no clipboard: nothing is said to be copied then.
    try browser.script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    try browser.click("dialog[open] .secret button")
    try browser.wait(
      "the key to be selected",
      "return getSelection().toString() === document.querySelector('[data-secret]').textContent")
    try browser.click("dialog[open] .foot .button.main")
    try browser.wait(
      "the key's end",
      "return [...document.querySelectorAll('main tr')].some((row) => /CRM.*2100/s.test(row.innerText))")
    try expectSound(browser, "keys-end")
    let ends = try console.connection.run(
      Statement("test-ends", "SELECT ends_at > '2099-12-31' FROM api_keys WHERE name = 'CRM'"))
    #expect(ends.bool(0, 0))
  }

  @Test(arguments: ["en", "ko"])
  func `whoever signed in long ago makes a key by signing in again over the page, or makes none`(
    _ language: String
  ) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    func keys(_ name: String) throws -> Int64 {
      try console.world.count("SELECT count(*) FROM api_keys WHERE name = '\(name)'")
    }
    try browser.open("/")
    try browser.waitFor("input[name=login]")
    try console.choose(language)
    try account(console)
    try signIn(browser)
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/keys")
    try browser.click(".actions .button.main")
    try browser.type("dialog[open] input[name=name]", "CRM")
    try console.connection.script("UPDATE sessions SET created_at = created_at - interval '16 minutes'")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("#sign-in-over[open]")
    try expectSound(browser, "sign-in-fresh-\(language)")
    try browser.press(.escape)
    // The form is there as it was, and says why nothing was made.
    try browser.waitFor("dialog[open] .note.bad:not([hidden])")
    #expect(try browser.value("dialog[open] input[name=name]") == "CRM")
    #expect(try keys("CRM") == 0)
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("#sign-in-over[open]")
    #expect(try browser.value("#sign-in-over input[name=login]") == Self.login)
    try browser.type("#sign-in-over input[name=password]", Self.password)
    try browser.click("#sign-in-over [type=submit]")
    try browser.waitFor("[data-secret]")
    #expect(try keys("CRM") == 1)
    try browser.click("dialog[open] .foot .button.main")
    // Signing in again in another tab replaces the session of this one.
    let status = try browser.script(
      """
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ login: arguments[0], password: arguments[1] });
      return (await fetch('/v1/admin/session', { method: 'POST', headers, body })).status;
      """, [Self.login, Self.password])
    #expect(status as? Int == 201)
    try browser.click(".actions .button.main")
    try browser.type("dialog[open] input[name=name]", "Billing")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("[data-secret]")
    #expect(try keys("Billing") == 1)
  }

  @Test func `a webhook is made, and an app's settings are changed, by signing in again over the page`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    func age() throws {
      try console.connection.script("UPDATE sessions SET created_at = created_at - interval '16 minutes'")
    }
    func signInAgain() throws {
      try browser.waitFor("#sign-in-over[open]")
      try browser.type("#sign-in-over input[name=password]", Self.password)
      try browser.click("#sign-in-over [type=submit]")
    }
    try account(console)
    try signIn(browser)
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/webhooks")
    try browser.click("#new-webhook")
    try browser.type("dialog[open] input[name=url]", "https://hooks.example.com/upmc")
    try age()
    try browser.click("dialog[open] [type=submit]")
    try signInAgain()
    try browser.waitFor("[data-secret]")
    try browser.click("dialog[open] .foot .button.main")
    try browser.waitFor("main[data-ready='/webhooks/1']")
    #expect(try console.world.count("SELECT count(*) FROM webhooks") == 1)
    try browser.show("/apps/\(World.appID)")
    try browser.type("main input[name=name]", "Other Bank")
    try age()
    try browser.notice(".toast:not(.bad)") {
      try browser.click("main form:has(input[name=timeZone]) [type=submit]")
      try signInAgain()
    }
    #expect(try console.world.count("SELECT count(*) FROM apps WHERE name = 'Other Bank'") == 1)
    try browser.expectSilence("the settings", except: "status of 401")
  }

  @Test func `QR codes of every size are read by another program`() throws {
    let console = try ConsoleWorld(isEmpty: true)
    try console.browser.open("/")
    for length in [1, 14, 26, 62, 84, 152, 180, 213, 320, 450, 666] {
      let text = String((0..<length).map { Character(UnicodeScalar(UInt8(33 + ($0 * 7 + length) % 90))) })
      let rows = try console.browser.script(
        """
        return import('/assets/parts/qr.js').then(({ qrRows }) => {
          const rows = qrRows(arguments[0]).map((row) => '0000' + row.map((dark) => (dark ? '1' : '0')).join('') + '0000');
          const margin = Array(4).fill('0'.repeat(rows.length + 8));
          return [...margin, ...rows, ...margin];
        });
        """, [text])
      #expect(try QRScanner.read(try #require(rows as? [String])) == text, "\(length) bytes")
    }
  }
}
