import Foundation
import Reactor
import TestSupport
import Testing

/// What somebody does at the console: opens pages, types, clicks, looks, and complains about what the page says in
/// secret.
final class Browser {
  private let driver: WebDriver
  private let base: String
  private let pause: Wakeup
  /// What a person has done so far: clicks, keys, and fields filled or chosen.
  private(set) var steps = 0

  /// Whether screenshots are taken, for people to look at: one costs as much processor time as most tests spend on the
  /// page.
  private static let takesPictures = ProcessInfo.processInfo.environment["TEST_SCREENSHOTS"] != nil

  /// `.build/screenshots`: for people to look at.
  private static let screenshots: String = {
    let path = TestDatabase.migrationsDirectory + "/../.build/screenshots"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }()

  init(port: UInt16) throws {
    driver = try WebDriver()
    base = "http://127.0.0.1:\(port)"
    pause = try Wakeup()
  }

  // MARK: Going

  /// An address behind the server's, for example a sign-in link.
  func open(_ path: String) throws {
    // Only what stands behind the hash may differ: then browsers load nothing.
    try driver.go("about:blank")
    try driver.go(base + path)
  }

  /// A page of the console, once it stands there.
  func show(_ page: String) throws {
    // The same address again does nothing by itself.
    try driver.script(
      """
      delete document.querySelector('main')?.dataset.ready;
      const before = location.hash;
      location.hash = arguments[0];
      if (location.hash === before) dispatchEvent(new Event('hashchange'));
      """, [page])
    let path = page.prefix { $0 != "?" }
    try wait("page \(page)", "return document.querySelector('main')?.dataset.ready === arguments[0]", [String(path)])
  }

  enum Place: String, CaseIterable { case tab, window }

  /// Opens the console in a further tab or window, which this browser is then at. - Returns: its name, for `turn`.
  func openFurther(_ place: Place, page: String) throws -> String {
    let handle = try driver.open(place.rawValue)
    try driver.go("\(base)/#\(page)")
    return handle
  }

  func turn(to handle: String) throws { try driver.turn(to: handle) }

  func reload() throws {
    try driver.script("location.reload()")
  }

  func back() throws { try driver.back() }

  // MARK: Looking

  @discardableResult
  func script(_ text: String, _ arguments: [Any] = []) throws -> Any? { try driver.script(text, arguments) }

  /// A script that checks repeatedly for a second, within the page. One call from here takes as much processor time as
  /// a hundred checks there. If the page goes away meanwhile, the call ends.
  private static func lasting(_ text: String) -> String {
    """
    const look = function () {
    \(text)
    };
    const [given, end] = [arguments, performance.now() + 1000];
    return (async () => {
      for (;;) {
        const value = await look.apply(null, given);
        if (value || performance.now() >= end) return value;
        await new Promise((next) => setTimeout(next, 50));
      }
    })();
    """
  }

  /// Asks the page again and again until it gives something that is neither false nor empty.
  @discardableResult
  func wait(_ what: String, _ text: String, _ arguments: [Any] = []) throws -> Any {
    let deadline = SystemClock().now + .patience
    var trouble = ""
    repeat {
      do {
        let value = try driver.script(Self.lasting(text), arguments)
        if let value, (value as? Bool) != false, (value as? String) != "" { return value }
      } catch {
        trouble = "\(error)"
      }
      _ = pause.wait(atMost: .milliseconds(50))
    } while SystemClock().now < deadline
    try? capture("failed")
    let seen = try? driver.script("return location.href + '\\n' + document.body.innerText.slice(0, 1500)")
    throw WebDriver.Failure(
      description: "Waited in vain for \(what). \(trouble)\nConsole: \(try driver.consoleLines())\n\(seen ?? "")")
  }

  /// Waits until something matches, and gives its text.
  @discardableResult
  func text(_ selector: String) throws -> String {
    try wait("\(selector)", "return document.querySelector(arguments[0])?.innerText", [selector]) as? String ?? ""
  }

  func waitFor(_ selector: String) throws {
    try wait(selector, "return document.querySelector(arguments[0]) !== null", [selector])
  }

  func count(_ selector: String) throws -> Int {
    (try driver.script("return document.querySelectorAll(arguments[0]).length", [selector]) as? NSNumber)?.intValue ?? 0
  }

  /// A number of the funnel, without the marks that languages put between digits.
  func funnel(_ step: String) throws -> Int {
    let text = try driver.script(
      "return document.querySelector('#funnel [data-step=' + arguments[0] + '] .number')?.innerText ?? '0'", [step])
    return Int((text as? String ?? "").filter(\.isNumber)) ?? 0
  }

  func waitForFunnel(_ step: String, _ count: Int) throws {
    try wait(
      "\(step) to be \(count)",
      """
      const text = document.querySelector('#funnel [data-step=' + arguments[0] + '] .number')?.innerText ?? '';
      return text.replace(/\\D/g, '') === String(arguments[1]);
      """, [step, count])
  }

  func waitForState(_ state: String) throws { try waitFor("#message-state [data-state=\(state)]") }

  /// Does something, and waits for the notice that it leads to. A notice goes away by itself, perhaps between two looks
  /// from here: the page remembers it. Gives its text.
  /// - Parameter selector: what the notice matches; the first one that does counts.
  @discardableResult
  func notice(_ selector: String = ".toast", after act: () throws -> Void) throws -> String {
    try driver.script(
      """
      window.notices = [];
      window.noticeWatch ??= new MutationObserver((changes) => {
        for (const change of changes) {
          window.notices.push(...[...change.addedNodes].filter((one) => one.matches?.('.toast')));
        }
      });
      window.noticeWatch.observe(document.body, { childList: true, subtree: true });
      """)
    try act()
    let found = "return window.notices.find((one) => one.matches(arguments[0]))?.textContent"
    return try wait("the notice \(selector)", found, [selector]) as? String ?? ""
  }

  // MARK: Doing

  private func element(_ selector: String, _ act: (String) throws -> Void) throws {
    try waitFor(selector)
    let deadline = SystemClock().now + .patience
    var last: any Error = WebDriver.Failure(description: "\(selector) is not there")
    // The page may draw itself anew between the look and the touch, and something may lie in front of it for as long as
    // the server takes.
    repeat {
      do {
        try act(try driver.find(selector))
        steps += 1
        return
      } catch { last = error }
      _ = pause.wait(atMost: .milliseconds(50))
    } while SystemClock().now < deadline
    try? capture("failed")
    throw last
  }

  func click(_ selector: String) throws { try element(selector) { try driver.click(element: $0) } }

  func type(_ selector: String, _ text: String) throws {
    try element(selector) {
      try driver.clear(element: $0)
      try driver.type(element: $0, text)
    }
  }

  /// Chooses a file; its path goes where people would point at it.
  func choose(_ selector: String, file: String) throws {
    try element(selector) { try driver.type(element: $0, file) }
  }

  /// Chooses from a list that folds out, by value.
  func select(_ selector: String, _ value: String) throws {
    try waitFor(selector)
    try driver.script(
      """
      const one = document.querySelector(arguments[0]);
      one.value = arguments[1];
      one.dispatchEvent(new Event('input', { bubbles: true }));
      one.dispatchEvent(new Event('change', { bubbles: true }));
      """, [selector, value])
    steps += 1
  }

  /// Chooses one of several round buttons, by its value.
  func pick(_ value: String) throws {
    try waitFor("input[type=radio][value=\(value)]")
    try driver.script("document.querySelector('input[type=radio][value=' + arguments[0] + ']').click()", [value])
    steps += 1
  }

  func press(_ key: Key) throws {
    try driver.press(key.rawValue)
    steps += 1
  }

  /// Presses a letter while Control is down.
  func pressControl(_ letter: Character) throws {
    try driver.press(String(letter), with: "\u{E009}")
    steps += 1
  }

  /// Types one character where the focus is, as a hand on the keyboard does.
  func press(_ character: Character) throws { try driver.press(String(character)) }

  /// Shows a syllable that is still being composed where the focus is; nil: it is done.
  func compose(_ text: String, isDone: Bool = false) throws {
    if isDone {
      try driver.developer("Input.insertText", ["text": text])
    } else {
      try driver.developer(
        "Input.imeSetComposition", ["text": text, "selectionStart": text.count, "selectionEnd": text.count])
    }
  }

  /// The value of a field.
  func value(_ selector: String) throws -> String {
    try driver.script("return document.querySelector(arguments[0])?.value ?? ''", [selector]) as? String ?? ""
  }

  enum Key: String {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case escape = "\u{E00C}"
    case down = "\u{E015}"
    case up = "\u{E013}"
  }

  // MARK: Checking

  /// Fails for whatever the page complained of: errors, warnings of the policy, files that did not load.
  func expectSilence(_ where: String, except expected: String? = nil) throws {
    for line in try driver.consoleLines() where line.level == "SEVERE" || line.level == "WARNING" {
      if let expected, line.text.contains(expected) { continue }
      // Advice on how fast a canvas is read: it is this test that reads it.
      if line.text.contains("willReadFrequently") { continue }
      Issue.record("\(`where`): the page says \(line.level) \(line.text)")
    }
  }

  /// Lets the browser live in a time zone, for example "America/Los_Angeles".
  func live(in zone: String) throws {
    try driver.developer("Emulation.setTimezoneOverride", ["timezoneId": zone])
  }

  /// Has files fail whose address fits one of these patterns; none: all load again.
  func block(_ patterns: [String]) throws {
    try driver.developer("Network.enable", [:])
    try driver.developer("Network.setCacheDisabled", ["cacheDisabled": !patterns.isEmpty])
    try driver.developer("Network.setBlockedURLs", ["urls": patterns])
  }

  /// Lets the page believe that its reader prefers a theme, `light` or `dark`.
  func prefer(theme: String) throws {
    try driver.developer(
      "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": theme]]])
  }

  /// Sets the size of the window; a phone's is narrow and touched.
  func resize(width: Int, height: Int, isPhone: Bool = false) throws {
    try driver.developer(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isPhone])
  }

  /// Goes to the top, where checks begin, and lets the page be drawn; for whoever asks for pictures, takes one of the
  /// whole page, also of what is below the fold.
  func screenshot(_ name: String) throws {
    // What sticks to the window would else stand in the middle of the picture.
    try driver.script("scrollTo(0, 0); await new Promise((next) => requestAnimationFrame(next));")
    if Self.takesPictures { try capture(name) }
  }

  private func capture(_ name: String) throws {
    // The same picture in a larger file: compressing it well takes longer than capturing it.
    let shot = try driver.developer(
      "Page.captureScreenshot", ["format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true])
    let data = try #require(Data(base64Encoded: shot["data"] as? String ?? ""))
    try data.write(to: URL(filePath: "\(Self.screenshots)/\(name).png"))
  }

  /// What a reader of the accessibility rules would object to on the page that is shown: our own checks, and
  /// axe-core's.
  func accessibilityFindings() throws -> [String] { try ownFindings() + axeFindings() }

  /// What our own checks object to. They take a small part of the time of axe-core's.
  func ownFindings() throws -> [String] {
    try driver.script(Accessibility.script) as? [String] ?? ["the check gave nothing"]
  }

  /// axe-core's violations of WCAG 2.2 A and AA and its best practices, whatever their weight.
  func axeFindings() throws -> [String] {
    if try driver.script("return typeof axe === 'undefined'") as? Bool ?? true { try driver.script(Axe.source()) }
    return try driver.script(Axe.run) as? [String] ?? ["axe-core gave nothing"]
  }
}
