import TestSupport
import TestTier
import Testing

/// What the Korean console shows when the server refuses something.
@Suite(.slow, .serialized) struct KoreanSentenceTests {
  /// Requests that are refused, each as method, path below /v1/admin, and body; APP stands for the app's id.
  private static let refused = """
    [
      ["POST", "/messages", {}],
      ["POST", "/messages", {"appId": "none.such", "audience": {"all": true}, "alert": {"body": "A"}}],
      ["POST", "/messages", {"appId": "APP", "audience": {"all": true}, "alert": {"body": "A"}, "expiresIn": "soon"}],
      ["POST", "/messages", {"appId": "APP", "audience": {"all": true}, "alert": {"body": "A"}, "sendAt": "tomorrow"}],
      ["POST", "/messages", {"appId": "APP", "audience": {"all": true}, "alert": {"body": "A"}, "nonsense": 1}],
      ["POST", "/messages", {"appId": "APP", "audience": {"all": true}, "alert": {"body": "%VAR1%"}}],
      ["POST", "/messages", {"appId": "APP", "audience": {"all": true}, "alert": {"body": "A"}, "mediaUrl": "http://a.b"}],
      ["POST", "/messages", {"appId": "APP", "audience": {"clientUids": []}, "alert": {"body": "A"}}],
      ["POST", "/messages", {"appId": "APP", "audience": {"all": true}}],
      ["GET", "/messages/999999"],
      ["POST", "/messages/999999/cancel", {}],
      ["POST", "/apps", {}],
      ["POST", "/apps", {"appId": "no blanks please"}],
      ["POST", "/accounts", {"login": "", "role": "admin"}],
      ["POST", "/accounts", {"login": "a b", "role": "admin"}],
      ["POST", "/groups", {"appId": "APP", "name": ""}],
      ["GET", "/groups/999999?appId=APP"],
      ["POST", "/segments", {"appId": "APP", "name": "A", "conditions": {"all": []}}],
      ["GET", "/users/nobody?appId=APP"],
      ["POST", "/webhooks", {"appId": "APP", "url": "http://example.com", "kinds": ["message.finished"]}],
      ["PUT", "/session/password", {"password": "short"}],
      ["PUT", "/credentials", {"appId": "APP"}],
      ["POST", "/session", {"login": "kim@example.com", "password": "wrong password"}],
      ["DELETE", "/sessions/999999"],
      ["GET", "/statistics?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z&unit=hour"]
    ]
    """

  @Test func `refusals are in Korean, whichever request is refused`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("ko")
    let found = try browser.script(
      """
      const { call } = await import(document.querySelector('script[type=module]').src.replace('main.js', 'api.js'));
      const all = [];
      for (const [method, path, body] of JSON.parse(arguments[0].replaceAll('APP', arguments[1]))) {
        try {
          await call(method, path, body, { quiet: true });
          all.push(`${method} ${path} is not refused`);
        } catch (problem) {
          for (const text of [problem.title, problem.message, ...(problem.errors ?? []).map((one) => one.detail)]) {
            // Three English words in a row are a sentence; names, codes and keys are not.
            if (/[A-Za-z]{2,} [a-z]+ [a-z]+/.test(text) || !/[가-힣]/.test(text)) all.push(`${method} ${path}: ${text}`);
          }
        }
      }
      return all;
      """, [Self.refused, World.appID])
    for line in try #require(found as? [String]) { Issue.record("\(line)") }
  }

  @Test func `a particle follows what stands before it, and a day of another year is shown with it`() throws {
    let console = try ConsoleWorld()
    try console.enter("ko")
    let said = try console.browser.script(
      """
      const { t } = await import(document.querySelector('script[type=module]').src.replace('main.js', 'words.js'));
      const particles = ['을(를)', '이(가)', '은(는)', '와(과)', '(으)로'];
      return arguments[0].map((name) => particles.map((one) => t(`{name}${one}`, { name })).join(' '));
      """, [["그룹", "앱 서버", "서울", "12", "7", "1,000", "단말(5대)", "Demo"]])
    #expect(
      said as? [String] == [
        "그룹을 그룹이 그룹은 그룹과 그룹으로", "앱 서버를 앱 서버가 앱 서버는 앱 서버와 앱 서버로",
        "서울을 서울이 서울은 서울과 서울로", "12를 12가 12는 12와 12로", "7을 7이 7은 7과 7로",
        "1,000을 1,000이 1,000은 1,000과 1,000으로", "단말(5대)를 단말(5대)가 단말(5대)는 단말(5대)와 단말(5대)로",
        "Demo을(를) Demo이(가) Demo은(는) Demo와(과) Demo(으)로",
      ])
    try expectYears(console.browser)
  }

  /// Years stand where they are needed, in both languages and on the clock that is shown.
  private func expectYears(_ browser: Browser) throws {
    let found = try browser.script(
      """
      const words = await import(document.querySelector('script[type=module]').src.replace('main.js', 'words.js'));
      const day = { month: 'short', day: 'numeric', timeZone: 'Asia/Seoul' };
      const all = [];
      const real = Date.now;
      try {
        for (const language of ['en', 'ko']) {
          await words.loadWords(language);
          Date.now = () => Date.parse('2026-11-28T09:00:00Z');
          for (const [moment, options, year] of [
            ['2026-11-21T03:00:00Z', undefined, null], ['2025-11-21T03:00:00Z', undefined, '2025'],
            ['2027-02-01T03:00:00Z', undefined, '2027'], ['2025-12-31T16:00:00Z', day, null],
            ['2025-12-31T14:00:00Z', day, '2025'], ['2025-11-21T03:00:00Z', { hour: '2-digit' }, null],
          ]) {
            const text = words.time(moment, options).innerText;
            if ((/20\\d\\d/.exec(text)?.[0] ?? null) !== year) all.push(`${language}, ${moment}: ${text}`);
          }
          // It is the day after tomorrow, in Seoul.
          const soon = words.distance('2026-11-29T18:00:00Z');
          if (!/^(in 1 day|1일 후)$/.test(soon)) all.push(`${language}: ${soon}`);
          Date.now = real;
        }
      } finally {
        Date.now = real;
        await words.loadWords('ko');
      }
      return all;
      """)
    #expect(found as? [String] == [])
  }
}
